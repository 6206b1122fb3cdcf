"""The numbers that formulas take: what they mean, and where they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["Source", "meaning", "source"]

Source: TypeAlias = Literal["known", "declared", "hindsight"]

# A name means the same in most theorems. Where it does not, the id of the theorem, or
# the beginning that a family shares, follows the name.
_MEANINGS = {
    "a": "a, how much the length of u counts",
    "aggressiveness": "C, the largest step",
    "aggressiveness MIX": "C, the largest step; no limit unless given",
    "before": "i, the mistakes before the hypothesis",
    "best": "m, the mistakes of the expert compared with",
    "best ADAHEDGE": "L, the loss of the best expert",
    "best EWA": "L, the loss of the expert compared with",
    "best FTM": "m, the mistakes of the better constant",
    "best RESTART": "m, the mistakes of the copies that began with the pieces",
    "best WM-RESTART": "m, the mistakes of the copies that began with the pieces",
    "best SLEEP": "L, the loss of the expert compared with, while it is awake",
    "batches": "J, how many batches of rounds there are",
    "beta": "beta, what the weight of a wrong expert is multiplied by",
    "bets": "B, the most by which the features can fall behind u, in all",
    "bias": "B, the value of the constant feature",
    "blocks": "D, the blocks of equal labels in the list, the default included",
    "budget": "B, how many examples are kept",
    "concepts": "|H|, the size of the class",
    "copy_beta": "c, what the weight of a wrong copy is multiplied by",
    "delay": "k, how many other predictions may still wait when a label comes",
    "delta": "delta, the probability that the bound fails",
    "deviation": "TD, the total by which rounds fall short of the margin",
    "deviation MIX": "D, the weighted sum of the shortfalls from the margin",
    "deviation DELAY": "D, the total by which mistakes fall short of the margin",
    "deviation WIN2-DNF": "D, how often terms were wrong; 0 unless given",
    "deviation_norm": "D, the root of the sum of the squared shortfalls",
    "dimension": "Ldim(H), the Littlestone dimension of the class",
    "drift": "the total drift of the means",
    "drift ADAGRAD": "P, the rises of D_i times (u_i - w_i)^2, in all",
    "drift MCADAGRAD": "P, the rises of D times (u - w)^2, in all",
    "drift FTRL": "P, the rises of D_i times (u_i - w_i)^2, in all",
    "energy": "the energy of u, as in the statement",
    "energy ADAGRAD": "E, g_i^2 / D_i, in all",
    "energy MCADAGRAD": "E, g^2 / D, in all",
    "energy FTRL": "E, g_i^2 / D_i, in all",
    "entropy": "F, how far u is from 0, as in the statement",
    "epsilon": "epsilon, the risk allowed",
    "epsilon RWM": "epsilon, the share of its weight that a wrong expert loses",
    "eta": "eta, the rate",
    "eta EWA-T": "eta, the rate; the best one for T rounds unless given",
    "eta SLEEP-T": "eta, the rate; the best one for T rounds unless given",
    "examples": "n, how many examples were drawn",
    "excess AIOLI": "X, what the quadratics are above the losses of u, in all",
    "excess": "X, the part of gradients beyond all before, times |w_i| + |u_i|",
    "experts": "N, how many experts there are",
    "displaced": "F, how many of the exceptions move a rule of the list up",
    "exceptions": "E, the rounds that the concept gets wrong",
    "exceptions DL-EXC": "E, the mistakes that the list gets wrong as well",
    "features": "n, how many features there are",
    "first": "E1, the largest |r| of the first round with an r not 0; E unless given",
    "gain AIOLI": "G, as in the statement, or 0 if that is more",
    "gain": "g, what a mistake gains on average",
    "gained": "G, what the updates without a mistake gain",
    "gap": "gamma, the gap between positives and negatives",
    "gap BWIN": "alpha, the gap between positives and negatives",
    "gap WIN2-SEP": "delta, the gap between positives and negatives",
    "gap WIN2-SLACK": "delta, the gap between positives and negatives",
    "growth": "G, the largest quotient of a V and its first term above 0",
    "heaviest": "P, the largest prior of any expert; the worst case unless given",
    "highest": "L+, the sum of the largest loss of each round",
    "hinge": "H, the total hinge loss of u",
    "hinge MIX": "H, the weighted sum of the hinge losses of u; 0 unless given",
    "hinge_squares": "H2, the sum of the squared hinge losses of u",
    "hinge_squares MIX": "H2, that of their squares, for PA-II; H unless given",
    "jumps": "J, how many jumps there were",
    "jumps EG": "J, the divergences of weights from the next, in all",
    "k": "k, the most literals in a clause or term",
    "k WIN2": "k, how many of the relevant features must be on",
    "k WIN2-DNF": "k, the most literals in a clause or term",
    "l1": "l1, what all weights cost",
    "l2": "l2, what their squares cost",
    "length": "L, how many rules the list has, the default included",
    "level": "c, the smallest w.x on positives",
    "level ACI": "c, how often the outcome should be inside",
    "lightest": "the smallest prior of any expert; 1/N unless given",
    "log_det": "the logarithm of the determinant, as in the statement",
    "log_size": "ln |H|, in place of size",
    "lowest": "L-, the sum of the smallest loss of each round",
    "margin": "gamma, the margin of u",
    "margin BWIN-SEP": "alpha, the margin of u",
    "margin PERC-LB": "gamma, the margin of a separator",
    "margin_updates": "U, the updates without a mistake",
    "mean_loss": "h, the mean loss of u, weighted by the steps",
    "mean_radius": "Q, the root mean square of |x|",
    "mean_scale": "Q, the root mean square of the largest |x_i| of a mistake",
    "mistakes": "M, the mistakes",
    "mistakes EST": "k, the mistakes",
    "mistakes MB2PAC-FAST": "M, the most mistakes that the learner can make",
    "mistakes MB2PAC-SURVIVE": "M, the most mistakes that the learner can make",
    "negations": "1 if the concept may negate features",
    "norm": "|u|, the length of u",
    "norm BWIN": "|u|_1, the sum of the absolute values of u",
    "norm MC": "|U|, the length of all u_c joined",
    "norm MIX-PERC": "|u|, the length of u",
    "ones": "k, how many labels are 1",
    "owed": "P, what all rounds may cost, as in the statement",
    "pairs": "P, how many pairs of mistakes waited for their labels together",
    "phi": "phi(y), the value of phi on the labels",
    "pieces": "k, into how many pieces the rounds are cut",
    "portion": "rho, which portion of the rounds A expects to be mistakes",
    "potential": "Phi, the potential of the proof at first",
    "price": "lambda, how many mistakes a unit of the potential costs",
    "prior": "the prior of the expert compared with, in place of experts",
    "prior ADAHEDGE": "the prior of the expert compared with; 1/N unless given",
    "prior ML-PROD": "the prior of the expert compared with; 1/N unless given",
    "promotion": "beta, what promoted weights are multiplied by",
    "promotion WIN2-SEP": "beta, the promotion; 1 + delta/2 unless given",
    "promotions": "u, how many promotions there were",
    "r": "r, the parameter of the learner",
    "radius": "R, the largest |x|",
    "radius KPERC": "R, the root of the largest K(x, x)",
    "rate": "eta, the rate",
    "rate ACI": "gamma, how fast the share is corrected",
    "relevant": "r, how many of the features matter",
    "relevant WIN2-DNF": "r, how many terms the k-DNF has",
    "residual": "S, the sum of (1 - y u.x)^2 over all rounds",
    "rounds": "T, how many rounds are played",
    "rounds COVER": "n, how many rounds are played",
    "rounds FTM": "n, how many rounds are played",
    "rounds MIX": "T, the weighted rounds; 0 if exp(-eta loss) is concave",
    "rounds SLEEP": "T, the rounds on which the expert is awake",
    "rounds VOTE": "n, how many examples are learned from",
    "saved": "S, what the rules of the list save; 0 unless given",
    "scale": "E, the largest |r| of all",
    "scale ADAHEDGE": "S, the largest difference of losses in a round",
    "scale BWIN": "X, the largest |x_i|",
    "scale EWA": "B, the largest loss",
    "scale EWA-T": "B, the largest difference of losses in a round",
    "scale FS": "B, the largest difference of losses in a round",
    "scale MIX-BWIN": "X, the largest |x_i|",
    "scale MIX-EWA": "B, the largest difference of losses in a round",
    "scale SLEEP": "B, the largest loss",
    "scale SLEEP-T": "B, the largest difference of losses in a round",
    "share": "alpha, the share of its weight that an expert gives away",
    "size": "|H|, the size of the class",
    "slack": "X, the total by which rounds miss the level or the gap",
    "smallest": "x, the smallest value above 0",
    "square": "Q, the sum of squares and products in the statement",
    "size FTRL": "|u|_1, the sum of the absolute values of u",
    "spread": "S, y^2 x'A^-1 x, in all",
    "squares": "V, the sum of the squares r^2 of the expert",
    "squares OGD": "G, the sum of the squared lengths of the gradients",
    "start": "how many experts there were at first; all unless given",
    "start BOA": "the expert's first prior that set a rate; prior unless given",
    "strangers": "N, the mistakes in rounds whose class was new",
    "steps": "T, the sum of the steps",
    "survived": "s, the rounds that the hypothesis survived",
    "switches": "s, how often the sequence of experts switches",
    "threshold": "theta, the threshold",
    "threshold PERC": "b, the threshold of the target",
    "threshold WIN1": "theta, the threshold; n unless given",
    "threshold WIN2-GAP": "theta, the threshold; n unless given",
    "ties": "the rounds before which both labels were equally frequent; m + 1 if not",
    "updates": "B, the bound on the updates without delay",
    "variance": "V, the sum of the variances of the losses under the weights",
    "wealth": "W, what all features started with",
    "weight": "S, the sum of mu",
    "weight WIN2-GAP": "the sum of w",
}

# Where a number comes from; one that is not listed must be declared.
_SOURCES: dict[str, Source] = {
    **dict.fromkeys(
        (
            "a",
            "aggressiveness",
            "best",
            "beta",
            "copy_beta",
            "bias",
            "budget",
            "concepts",
            "dimension",
            "epsilon",
            "eta",
            "experts",
            "highest",
            "k",
            "l1",
            "l2",
            "level ACI",
            "lightest",
            "lowest",
            "ones",
            "pairs",
            "phi",
            "prior",
            "promotion",
            "r",
            "rate",
            "rounds",
            "share",
            "square",
            "squares",
            "switches",
            "threshold",
            "variance",
        ),
        "known",
    ),
    **dict.fromkeys(
        (
            "bets",
            "drift ADAGRAD",
            "drift MCADAGRAD",
            "drift FTRL",
            "energy ADAGRAD",
            "energy MCADAGRAD",
            "energy FTRL",
            "entropy",
            "excess",
            "first",
            "gain",
            "gained",
            "growth",
            "heaviest",
            "jumps",
            "mean_loss",
            "mean_radius",
            "mean_scale",
            "owed",
            "portion",
            "potential",
            "price",
            "size FTRL",
            "spread",
            "start",
            "steps",
            "ties",
            "wealth",
        ),
        "hindsight",
    ),
    "k WIN2": "declared",
    "k WIN2-DNF": "known",
    "rounds MIX": "declared",
    "scale BWIN": "known",
    "scale MIX-BWIN": "known",
    "threshold PERC": "declared",
}


def meaning(identifier: str, name: str) -> str:
    """Return what a number of a theorem means.

    Examples
    --------
    >>> from littlestone.theorems._numbers import meaning
    >>> meaning("PERC-SEP", "norm")
    '|u|, the length of u'
    >>> meaning("BWIN-GAP", "norm")
    '|u|_1, the sum of the absolute values of u'
    """
    return _MEANINGS[_key(_MEANINGS, identifier, name)]


def source(identifier: str, name: str) -> Source:
    """Return where a number of a theorem comes from.

    Examples
    --------
    >>> from littlestone.theorems._numbers import source
    >>> source("WIN1", "threshold"), source("PERC-BIAS", "threshold")
    ('known', 'declared')
    """
    return _SOURCES.get(_key(_SOURCES, identifier, name), "declared")


def _key(table: Container[str], identifier: str, name: str) -> str:
    """Return the key with the longest beginning of the id that is listed."""
    keys = (f"{name} {identifier[:end]}" for end in range(len(identifier), 0, -1))
    return next((key for key in keys if key in table), name)
