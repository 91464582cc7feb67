"""Words that people write where a value is missing."""

from __future__ import annotations

# Words that stand for a missing value among numbers and dates; databases write days of zeros, and
# Eurostat a colon.
BLANKS = frozenset(
    {
        *("-", "--", "---", "–", "—", ".", "..", "...", "…", "*", "na", "n.a.", "n.a", "n/a"),
        *("unknown", "unk", "missing", "none", "nil", "null", "nan", "k.a.", "tbd", "tba"),
        *("not available", "not applicable", "not known", "#value!", "#ref!", "#div/0!", "#num!"),
        *("#name?", "#null!", "#n/a", "n.d.", "nd", "(blank)", "(leer)", "(null)", "(none)"),
        *("not recorded", "not reported", "not specified", "not given", "not stated", "no data"),
        *("no answer", "no response", "prefer not to say", "prefer not to answer", "don’t know"),
        *("refused", "declined", "unspecified", "undefined", "don't know", "s/o", "n\\a", "??"),
        *("weiß nicht", "weiss nicht", "keine antwort"),
        *("keine angabe", "unbekannt", "fehlt", "n.v.", "inconnu", "non renseigné", "sin datos"),
        *("00.00.0000", "0000-00-00", "00/00/0000", "0000-00-00 00:00:00", ":"),
        *("n/d", "k. a."),
        *("desconocido", "sconosciuto", "onbekend", "brak", "brak danych", "нет данных"),
    }
)
