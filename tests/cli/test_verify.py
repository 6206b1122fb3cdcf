"""`littlestone verify` accepts what is right, and names what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from certificates import sealed
from command import call

TEXT = "-1 1:1\n+1 2:1\n-1 1:1 3:1\n+1 2:1 3:0.5\n-1 1:0.5 2:0.25\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    path.write_text(TEXT)
    return path


@pytest.fixture
def certificate(file: Path, tmp_path: Path) -> Path:
    path = tmp_path / "mail.json"
    assert (
        call(
            "certify", "-l", "perceptron", file, "-q", "--passes", 2, "-o", path
        ).returncode
        == 0
    )
    return path


def test_a_certificate_is_accepted_alone_and_with_its_file(
    certificate: Path, file: Path
) -> None:
    alone = call("verify", certificate)
    assert (alone.returncode, alone.stderr) == (0, "")
    assert alone.stdout.startswith(
        "Accepted: the theorem, its numbers, the bound, that it holds.\n"
        "The arithmetic of the certificate (Perceptron, PERC-"
    )
    done = call("verify", certificate, file)
    assert (done.returncode, done.stderr) == (0, "")
    verdict, meaning, others = done.stdout.splitlines()
    assert others == "The bounds of other theorems in it are not checked."
    assert verdict.endswith("rounds, mistakes, updates, the proof.")
    assert meaning.startswith(f"{file} was played again, 10 rounds with")


def test_json_is_the_verdict(certificate: Path, file: Path) -> None:
    done = call("verify", certificate, file, "--json", "-q")
    found = json.loads(done.stdout)
    assert (found["accepted"], found["wrong"], done.returncode) == (True, None, 0)
    assert found["checked"][-1] == "the proof"
    assert found["unchecked"] == ["others"]
    assert (found["file"], found["learner"]) == (str(file), "Perceptron")
    file.write_text(TEXT.replace("0.25", "0.75"))
    done = call("verify", certificate, file, "--json", "-q")
    found = json.loads(done.stdout)
    assert (found["accepted"], done.returncode) == (False, 1)
    assert found["wrong"] == "digest must be that of the stream"


def forged(certificate: Path, **changes: object) -> Path:
    """Return the path of the same certificate, changed and sealed anew."""
    plain = json.loads(certificate.read_text()) | changes
    path = certificate.with_name("forged.json")
    path.write_text(sealed(plain))
    return path


def test_a_forged_certificate_is_rejected(certificate: Path, file: Path) -> None:
    alone = call("verify", forged(certificate, bound="0x1.0000000000000p+20"))
    assert alone.returncode == 1
    assert alone.stdout.startswith("Rejected: bound must be 0x1.")
    # Its arithmetic is right, but it speaks of another run.
    plain = json.loads(certificate.read_text())
    false = forged(certificate, rounds=plain["rounds"] - 1)
    assert call("verify", false).returncode == 0
    done = call("verify", false, file)
    assert done.returncode == 1
    assert done.stdout.startswith("Rejected: rounds must be more than 9")
    assert "was played again" not in done.stdout


def test_a_certificate_that_was_changed_is_rejected(
    certificate: Path, file: Path
) -> None:
    certificate.write_text(
        certificate.read_text().replace('"passes": 2', '"passes": 3')
    )
    for words in ((certificate,), (certificate, file)):
        done = call("verify", *words)
        assert done.returncode == 1
        assert done.stdout.startswith("Rejected: seal must be that of the certificate")
    assert json.loads(call("verify", certificate, "--json").stdout)["theorem"] is None


def test_a_certificate_that_does_not_hold_is_rejected(certificate: Path) -> None:
    false = forged(certificate, mistakes=9, updates=9, counted="9")
    done = call("verify", false)
    assert done.returncode == 1
    assert "Rejected: the certificate does not hold: PERC-" in done.stdout


def test_the_file_is_read_as_it_was_certified(tmp_path: Path) -> None:
    path, written = tmp_path / "sms.tsv", tmp_path / "sms.json"
    path.write_text("label\ttext\nham\tSee you\nspam\tFree, see\nham\tfree you\n")
    words = ("-F", "text", "--label", "label", "--positive", "spam", "--ngrams", "2")
    some = ("--hash-bits", "8")
    assert call("certify", path, "-q", *words, *some, "-o", written).returncode == 0
    assert call("verify", written, path, "-q", *words, *some).returncode == 0
    assert call("verify", written, path, "-q", *words).returncode == 1
    text = path.read_text()
    assert call("verify", written, "-", "-q", *words, *some, stdin=text).returncode == 0


def test_classes_are_read_as_the_learner_takes_them(tmp_path: Path) -> None:
    path, written = tmp_path / "news.svm", tmp_path / "news.json"
    path.write_text("sport 1:1\nfood 2:1\nsport 1:1\nfood 2:1 3:1\n7 3:1\n")
    words = ("-l", "multiclass-perceptron", "-o", written)
    assert call("certify", path, "-q", *words).returncode == 0
    done = call("verify", written, path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/no/such/file"], "a certificate must be a file that can be read"),
        (["{file}"], "a certificate must be JSON"),
        (["{other}"], "a certificate must"),
        (["{later}"], "format must be 1 or 2, got 3"),
        (["{certificate}", "/no/such/file"], "a stream must be an existing file"),
        (["{certificate}", "{other}"], "other.json:1: "),
        (["{certificate}", "--positive", "spam"], "FILE must be given with options"),
        (["{certificate}", "{file}", "--label", "y"], "verify: --label is for parquet"),
        (["{certificate}", "-"], "FILE must be readable again for 2 passes, got -"),
        (["{certificate}", "{file}", "--bias", "1"], "--bias"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    certificate: Path, file: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"rounds": 3}')
    later = tmp_path / "later.json"
    later.write_text(json.dumps(json.loads(certificate.read_text()) | {"format": 3}))
    paths = {"file": file, "certificate": certificate, "other": other, "later": later}
    done = call("verify", "-q", *(word.format(**paths) for word in words), stdin=TEXT)
    assert done.returncode == 2, done.stdout
    assert message in done.stderr
    assert done.stderr.startswith("littlestone: ")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
