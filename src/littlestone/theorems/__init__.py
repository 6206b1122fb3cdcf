"""Theorems: premises, a statement, and a bound.

Pure mathematics: no learner, no data, no rounding errors. A bound is computed with
exact rationals and rounded up, so the number you see is never below what is proved.
"""

from difflib import get_close_matches

from littlestone.errors import ParameterError
from littlestone.theorems._theorem import Condition, Number, Theorem
from littlestone.theorems.adaptive import (
    ADAHEDGE,
    ADAHEDGE_FIRST,
    BOA,
    BOA_PUB,
    ML_POLY,
    ML_PROD,
    ML_PROD_PUB,
)
from littlestone.theorems.balanced import (
    BWIN_ANY,
    BWIN_GAP,
    BWIN_RMS,
    BWIN_SEP,
    BWIN_STEPS,
)
from littlestone.theorems.boolean import (
    CONJ,
    CONJ_EXC,
    CONJ_LB,
    CONJ_MONO,
    CONSISTENT,
    CONSISTENT_LB,
    DISJ,
    DISJ_EXC,
    DISJ_LB,
    DISJ_MONO,
    DL,
    DL_BLOCKS,
    DL_EXC,
    KCNF,
    KCNF_EXC,
    KDNF,
    KDNF_EXC,
    SOA,
    SOA_LB,
)
from littlestone.theorems.coverage import ACI
from littlestone.theorems.delay import DELAY, DELAY_PAIRS, DELAY_SERVED
from littlestone.theorems.gradients import (
    ADAGRAD,
    AIOLI,
    COIN,
    EG,
    FTRL_L1,
    MCADAGRAD,
    OGD,
    VAW,
    coin_regret,
)
from littlestone.theorems.kernel import KPERC_BUDGET
from littlestone.theorems.mixing import MIX_BWIN, MIX_EWA, MIX_PA, MIX_PERC
from littlestone.theorems.multiclass import (
    MCPA1,
    MCPA2,
    MCPA_SEP,
    MCPA_STEPS,
    MCPERC_RMS,
    MCPERC_SEP,
    MCPERC_TD,
)
from littlestone.theorems.one_versus_rest import MCAROW, MCAROW_STEPS, MCSOP
from littlestone.theorems.orders import (
    AROW_ORDER,
    BWIN_ORDER,
    MCPA_ORDER,
    PA_ORDER,
    SOP_ORDER,
)
from littlestone.theorems.pac import (
    EST,
    EST_EXACT,
    MB2PAC_FAST,
    MB2PAC_MEAN,
    MB2PAC_RUN,
    MB2PAC_SURVIVE,
    PAC_AGNOSTIC,
    PAC_FINITE,
    PAC_OCCAM,
    choosing_size,
    clopper_pearson,
    fast_sizes,
    learning_size,
    survival_length,
)
from littlestone.theorems.passive_aggressive import PA1, PA2, PA_SEP, PA_STEPS
from littlestone.theorems.perceptron import (
    PERC_BIAS,
    PERC_FS,
    PERC_GAP,
    PERC_HINGE,
    PERC_LB,
    PERC_RMS,
    PERC_SEP,
    PERC_TD,
)
from littlestone.theorems.restarting import RESTART, WM_RESTART
from littlestone.theorems.second_order import AROW, AROW_DIAG, AROW_STEPS, SOP
from littlestone.theorems.sequences import (
    COVER,
    COVER_PHI,
    FTM,
    FTM_LB,
    cover_constant,
)
from littlestone.theorems.voted import VOTE_FS
from littlestone.theorems.votes import (
    HALV,
    HALV_LB,
    HALV_R,
    RWM,
    RWM_TUNED,
    WM,
    WM_FLOOR,
    WM_FLOOR_START,
)
from littlestone.theorems.weights import (
    AA,
    EWA,
    EWA_T,
    EWA_TUNED,
    EWA_XC,
    FS,
    FS_XC,
    SLEEP,
    SLEEP_T,
    SLEEP_XC,
)
from littlestone.theorems.winnow import (
    WIN1,
    WIN2_DISJ,
    WIN2_DNF,
    WIN2_GAP,
    WIN2_KOFR,
    WIN2_LEMMA,
    WIN2_SEP,
    WIN2_SLACK,
)

__all__ = [
    "AA",
    "ACI",
    "ADAGRAD",
    "ADAHEDGE",
    "ADAHEDGE_FIRST",
    "AIOLI",
    "AROW",
    "AROW_DIAG",
    "AROW_ORDER",
    "AROW_STEPS",
    "BOA",
    "BOA_PUB",
    "BWIN_ANY",
    "BWIN_GAP",
    "BWIN_ORDER",
    "BWIN_RMS",
    "BWIN_SEP",
    "BWIN_STEPS",
    "COIN",
    "CONJ",
    "CONJ_EXC",
    "CONJ_LB",
    "CONJ_MONO",
    "CONSISTENT",
    "CONSISTENT_LB",
    "COVER",
    "COVER_PHI",
    "DELAY",
    "DELAY_PAIRS",
    "DELAY_SERVED",
    "DISJ",
    "DISJ_EXC",
    "DISJ_LB",
    "DISJ_MONO",
    "DL",
    "DL_BLOCKS",
    "DL_EXC",
    "EG",
    "EST",
    "EST_EXACT",
    "EWA",
    "EWA_T",
    "EWA_TUNED",
    "EWA_XC",
    "FS",
    "FS_XC",
    "FTM",
    "FTM_LB",
    "FTRL_L1",
    "HALV",
    "HALV_LB",
    "HALV_R",
    "KCNF",
    "KCNF_EXC",
    "KDNF",
    "KDNF_EXC",
    "KPERC_BUDGET",
    "MB2PAC_FAST",
    "MB2PAC_MEAN",
    "MB2PAC_RUN",
    "MB2PAC_SURVIVE",
    "MCADAGRAD",
    "MCAROW",
    "MCAROW_STEPS",
    "MCPA1",
    "MCPA2",
    "MCPA_ORDER",
    "MCPA_SEP",
    "MCPA_STEPS",
    "MCPERC_RMS",
    "MCPERC_SEP",
    "MCPERC_TD",
    "MCSOP",
    "MIX_BWIN",
    "MIX_EWA",
    "MIX_PA",
    "MIX_PERC",
    "ML_POLY",
    "ML_PROD",
    "ML_PROD_PUB",
    "OGD",
    "PA1",
    "PA2",
    "PAC_AGNOSTIC",
    "PAC_FINITE",
    "PAC_OCCAM",
    "PA_ORDER",
    "PA_SEP",
    "PA_STEPS",
    "PERC_BIAS",
    "PERC_FS",
    "PERC_GAP",
    "PERC_HINGE",
    "PERC_LB",
    "PERC_RMS",
    "PERC_SEP",
    "PERC_TD",
    "RESTART",
    "RWM",
    "RWM_TUNED",
    "SLEEP",
    "SLEEP_T",
    "SLEEP_XC",
    "SOA",
    "SOA_LB",
    "SOP",
    "SOP_ORDER",
    "VAW",
    "VOTE_FS",
    "WIN1",
    "WIN2_DISJ",
    "WIN2_DNF",
    "WIN2_GAP",
    "WIN2_KOFR",
    "WIN2_LEMMA",
    "WIN2_SEP",
    "WIN2_SLACK",
    "WM",
    "WM_FLOOR",
    "WM_FLOOR_START",
    "WM_RESTART",
    "Condition",
    "Number",
    "Theorem",
    "all",
    "choosing_size",
    "clopper_pearson",
    "coin_regret",
    "cover_constant",
    "fast_sizes",
    "get",
    "learning_size",
    "survival_length",
]


# Family by family, as in the documentation; new theorems are added, never reordered.
_ALL = (
    PERC_SEP,
    PERC_TD,
    PERC_HINGE,
    PERC_FS,
    PERC_BIAS,
    PERC_GAP,
    PERC_LB,
    PERC_RMS,
    WIN1,
    WIN2_LEMMA,
    WIN2_SEP,
    WIN2_DISJ,
    WIN2_KOFR,
    WIN2_GAP,
    WIN2_DNF,
    WIN2_SLACK,
    BWIN_SEP,
    BWIN_ANY,
    BWIN_GAP,
    BWIN_RMS,
    BWIN_STEPS,
    BWIN_ORDER,
    PA_SEP,
    PA1,
    PA2,
    PA_STEPS,
    PA_ORDER,
    SOP,
    SOP_ORDER,
    AROW,
    AROW_DIAG,
    AROW_STEPS,
    AROW_ORDER,
    MCSOP,
    MCAROW,
    MCAROW_STEPS,
    MCPERC_SEP,
    MCPERC_TD,
    MCPERC_RMS,
    MCPA_SEP,
    MCPA1,
    MCPA2,
    MCPA_STEPS,
    MCPA_ORDER,
    KPERC_BUDGET,
    VOTE_FS,
    OGD,
    ADAGRAD,
    MCADAGRAD,
    COIN,
    FTRL_L1,
    EG,
    VAW,
    AIOLI,
    ACI,
    HALV,
    HALV_R,
    HALV_LB,
    WM,
    WM_FLOOR,
    WM_FLOOR_START,
    RESTART,
    WM_RESTART,
    RWM,
    RWM_TUNED,
    COVER,
    COVER_PHI,
    FTM,
    FTM_LB,
    EWA,
    EWA_TUNED,
    EWA_T,
    EWA_XC,
    AA,
    FS,
    FS_XC,
    SLEEP,
    SLEEP_T,
    SLEEP_XC,
    ADAHEDGE,
    ADAHEDGE_FIRST,
    ML_POLY,
    ML_PROD,
    ML_PROD_PUB,
    BOA,
    BOA_PUB,
    CONJ,
    CONJ_MONO,
    CONJ_LB,
    CONJ_EXC,
    DISJ,
    DISJ_MONO,
    DISJ_LB,
    DISJ_EXC,
    KCNF,
    KDNF,
    KCNF_EXC,
    KDNF_EXC,
    DL,
    DL_BLOCKS,
    DL_EXC,
    CONSISTENT,
    CONSISTENT_LB,
    SOA,
    SOA_LB,
    PAC_FINITE,
    PAC_AGNOSTIC,
    PAC_OCCAM,
    MB2PAC_SURVIVE,
    MB2PAC_FAST,
    MB2PAC_RUN,
    MB2PAC_MEAN,
    EST,
    EST_EXACT,
    DELAY,
    DELAY_SERVED,
    DELAY_PAIRS,
    MIX_PERC,
    MIX_PA,
    MIX_BWIN,
    MIX_EWA,
)


def _key(identifier: str) -> str:
    return identifier.upper().replace("_", "-")


_BY_KEY = {_key(theorem.id): theorem for theorem in _ALL}


def all() -> tuple[Theorem, ...]:  # noqa: A001 - theorems.all() reads well
    """Return every theorem, family by family, always in the same order.

    Examples
    --------
    >>> from littlestone import theorems
    >>> [theorem.id for theorem in theorems.all()][:2]
    ['PERC-SEP', 'PERC-TD']
    """
    return _ALL


def get(identifier: str) -> Theorem:
    """Return the theorem with this id, in upper or lower case.

    Examples
    --------
    >>> from littlestone import theorems
    >>> theorems.get("PERC-SEP").bound(radius=1, margin=0.5)
    4.0
    >>> theorems.get("PERC-SEPP")
    Traceback (most recent call last):
    ...
    littlestone.errors.ParameterError: theorems: id must be that of a theorem, such as \
PERC-SEP, MCPERC-SEP or PERC-FS, got 'PERC-SEPP'
    """
    key = _key(identifier) if isinstance(identifier, str) else ""
    if (theorem := _BY_KEY.get(key)) is not None:
        return theorem
    near = [_BY_KEY[name].id for name in get_close_matches(key, _BY_KEY)]
    *others, last = near or [theorem.id for theorem in _ALL]
    known = f"{', '.join(others)} or {last}" if others else last
    raise ParameterError(
        f"id must be {'that of a theorem, such as' if near else 'one of'} {known}, "
        f"got {identifier!r}",
        owner="theorems",
    )
