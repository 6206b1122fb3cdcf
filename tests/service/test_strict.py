"""JSON is read strictly: quickly where it is plain, and never otherwise than slowly."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import _core
from littlestone.service._strict import (
    BadJSONError,
    _loads,
    dumps,
    flat_lines,
    loads,
    loads_asked,
    loads_asked_lines,
    loads_lines,
    own,
)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(-999, 999, places=3).map(float)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def slowly(text: bytes) -> str:
    try:
        return repr(_loads(text))
    except BadJSONError as error:
        return f"refused: {error}"


@given(VALUES, st.booleans(), st.data())
def test_what_is_read_quickly_is_what_is_read_slowly(
    value: object, ascii_only: bool, data: st.DataObject
) -> None:
    text = bytearray(json.dumps(value, ensure_ascii=ascii_only).encode())
    for _ in range(data.draw(st.integers(0, 2))):  # often no JSON any more
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + 1] = data.draw(
            st.sampled_from(b'{}[]",:.-0e\\ \n\xff')
        ).to_bytes()
    found = _core.plain_json(bytes(text))
    if found is not NotImplemented:
        assert repr(found) == slowly(bytes(text))


@pytest.mark.parametrize(
    "text",
    [
        *(
            b"",
            b" ",
            b"-",
            b"01",
            b"-01",
            b"1.",
            b".5",
            b"1.e5",
            b"+1",
            b"1e400",
            b"NaN",
        ),
        *(b"[1,]", b"[1 2]", b'{"a":1,}', b'{"a":1,"a":2}', b"{1:2}", b'{"a" 1}'),
        *(b'"\x01"', b'"\xff"', b'"a', b'"\\ud800', b"tru", b"nulll", b"1 2", b"[[[["),
        *(b"9007199254740993", b"0.1234567890123456789", b"[" * 100_000),
    ],
    ids=repr,
)
def test_what_has_no_single_meaning_is_refused(text: bytes) -> None:
    with pytest.raises(BadJSONError):
        loads(text)


@pytest.mark.parametrize(
    "text", [b"-0", b"-0.0", b"123456789012345", b"0.12345678901234", b' {"a":[ ]} ']
)
def test_plain_text_is_read_quickly(text: bytes) -> None:
    assert repr(_core.plain_json(text)) == slowly(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_that_python_writes_is_read_quickly(number: float) -> None:
    for form in (repr(number), f"{number:.16e}", f"{number:.20f}"):
        found = _core.plain_json(form.encode())
        assert slowly(form.encode()) == repr(found) or found is NotImplemented
    assert repr(_core.plain_json(dumps(number))) == repr(number)
    assert repr(_core.plain_json(repr(number).encode())) == repr(number)


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"1\n2", b"1\n2\n", b"1\n\n2\n", b"1\n  ", b"\r\n1\r\n"]
)
def test_lines_are_those_between_the_breaks(text: bytes) -> None:
    lines = text.split(b"\n")
    lines = lines if lines[-1].strip() else lines[:-1]
    assert list(map(repr, loads_lines(text))) == [
        slowly(line) if not slowly(line).startswith("refused") else repr_of(line)
        for line in lines
    ]


def repr_of(line: bytes) -> str:
    with pytest.raises(BadJSONError) as caught:
        _loads(line)
    return repr(caught.value)


@given(
    st.dictionaries(st.sampled_from(["id", "features", "text"]), VALUES, max_size=3),
    st.data(),
)
def test_what_is_asked_is_read_apart_as_it_is_read_whole(
    asked: dict[str, object], data: st.DataObject
) -> None:
    text = bytearray(json.dumps(asked).encode())
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + 1] = data.draw(st.sampled_from(b'{}[]",: \n\xff')).to_bytes()
    found = _core.asked_json(bytes(text))
    if found is not NotImplemented:
        id_, example, copy = found
        whole = {**({} if id_ is None else {"id": id_}), **example}
        assert repr(sorted(whole.items())) == repr(sorted(loads(bytes(text)).items()))
        assert repr(own(copy)) == repr(example)


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"[]",
        b'{"id":"a"}',
        b'{"id":"a","id":"b","features":{}}',
        b'{"id":null,"features":{}}',
        b'{"features":{},"features":{}}',
        b'{"features":{},"text":""}',
        b'{"features":{}} 1',
        b'{"features":{"x":1,"x":2}}',
        b'{"\\u0069d":"a"}',
        b'{"features":{},}',
    ],
)
def test_what_is_not_plainly_asked_is_read_whole(text: bytes) -> None:
    assert _core.asked_json(text) is NotImplemented


NUMBERS = st.dictionaries(
    st.text(st.sampled_from("ab \u00e9"), max_size=2),
    st.booleans()
    | st.integers(-(10**15) + 1, 10**15 - 1)
    | st.sampled_from([0.5, -0.0, 12.25, 1e-9, 0.1 + 0.2, 1e300]),
    max_size=4,
)


@given(
    st.lists(st.tuples(st.none() | st.text("ab", max_size=2), NUMBERS), max_size=3),
    st.data(),
)
def test_a_batch_of_named_numbers_is_read_as_its_lines_are(
    asked: list[tuple[str | None, dict[str, object]]], data: st.DataObject
) -> None:
    lines = [
        json.dumps(({} if id_ is None else {"id": id_}) | {"features": x})
        for id_, x in asked
    ]
    text = bytearray("\n".join(lines).encode())
    if text and data.draw(st.booleans()):  # often no JSON any more
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + 1] = data.draw(st.sampled_from(b'{}[]",: \nx\xff')).to_bytes()
    found = flat_lines(bytes(text))
    if found is not None:
        each = [(id_, repr(own(copy)), copy) for id_, copy in zip(*found, strict=True)]
        assert each == [
            (id_, repr(example), copy)
            for id_, example, copy in loads_asked_lines(bytes(text))
        ]


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"{}", b'{"id":"a"}', b'{"text":"x"}', b'{"features":[1]}'),
        *(b'{"features":{"x":"1"}}', b'{"features":{"x":null}}'),
        *(b'{"features":{"x":{}}}', b'{"features":{"x":1,"y":2,"x":3}}'),
        *(b'{"features":{"x":NaN}}', b'{"features":{"x":01}}', b'{"features":{"x":}}'),
        *(b'{"features":{"x":1}} 1', b'{"features":{"x":1},"features":{}}'),
        *(b'{"features":{"\\u0078":1}}', b'{"features":{"\xff":1}}', b'{"id":1}'),
    ],
    ids=repr,
)
def test_a_batch_with_anything_else_is_not_flat(line: bytes) -> None:
    plain = b'{"id":"a","features":{"x":1}}'
    assert flat_lines(b"\n".join([plain, line, plain])) is None


def test_spaces_are_not_kept() -> None:
    text = b' { "id" : "a" , "row" : { "x y" : [ 1 , true , null , -0.50 , " " ] } } '
    _, example, copy = loads_asked(text)
    assert copy == b'{"row":{"x y":[1,true,null,-0.50," "]}}'
    assert example == {"row": {"x y": [1, True, None, -0.5, " "]}}
