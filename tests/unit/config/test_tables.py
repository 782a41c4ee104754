"""Tables of the configuration: policies, classes by path, detectors and words."""

from __future__ import annotations

from pathlib import Path

import pytest

from withgrain.config import Settings, load
from withgrain.errors import ConfigError


def _load(directory: Path, text: str, **flags: object) -> Settings:
    (directory / "withgrain.toml").write_text(text)
    return load(flags, directory=directory, environment={}).settings


def test_policies_stand_in_tables_and_one_is_used(tmp_path: Path) -> None:
    """`[policy.NAME]` writes one, `use` chooses it; a flag goes before."""
    text = '[policy]\nuse = "mine"\n[policy.mine]\nextends = "page"\neven = true\n'
    chosen = _load(tmp_path, text)
    assert chosen.policy == "mine"
    assert chosen.policies["mine"].policy.regions == "page"
    assert chosen.policies["mine"].origins["even"] == f"{tmp_path / 'withgrain.toml'}:5"
    assert _load(tmp_path, text, policy="fixed").policy == "fixed"


def test_a_table_alone_chooses_nothing(tmp_path: Path) -> None:
    """Without `use` the default stays."""
    assert _load(tmp_path, "[policy.mine]\neven = true\n").policy == "structure_aware"


def test_the_short_form_stays(tmp_path: Path) -> None:
    """`policy = "name"` is enough where no policy is written."""
    assert _load(tmp_path, 'policy = "fixed"\n').policy == "fixed"


def test_classes_detectors_and_words(tmp_path: Path) -> None:
    """Class overrides per glob; `[[detector]]` and `[vocabulary.operations]`."""
    chosen = _load(
        tmp_path,
        '[classes]\n"run/**" = "sop"\n[[detector]]\nname = "t"\nfield = "codes"\npattern = "T-\\\\d+"\n'
        '[vocabulary.operations]\ndisable = ["park"]\n',
    )
    assert chosen.classes == (("run/**", "sop"),)
    assert chosen.signals is not None
    assert chosen.signals.detectors[0].pattern == r"T-\d+"
    assert chosen.signals.words == (("operations", "disable", ("disable", "park")),)


def test_pyproject_may_hold_them(tmp_path: Path) -> None:
    """`[tool.withgrain.policy.NAME]` is the same."""
    (tmp_path / "pyproject.toml").write_text("[tool.withgrain.policy.mine]\nmerg = 1\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml:2: policy\.mine\.merg: .*Did you mean merge"):
        load({}, directory=tmp_path, environment={})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\n[policy.mine]\n", r"withgrain\.toml:1: there is no setting a"),
        ("[policy.mine]\n\nmerg = 1\n", r"withgrain\.toml:3: policy\.mine\.merg"),
        ("[policy.mine]\n[policy.mine.class.sop]\nmx = 1\n", r"withgrain\.toml:3: policy\.mine\.class\.sop\.mx: .*max"),
        ("[policy.mine]\nbudget.mx = 1\n", r"withgrain\.toml:2: policy\.mine\.budget\.mx"),
        ('[policy]\nuse = "mne"\n[policy.mine]\n', r"withgrain\.toml:2: policy\.use is 'mne'.*Did you mean mine\?"),
        ('[classes]\n"x" = "sopp"\n', r"withgrain\.toml:2: classes\.'x' is 'sopp'.*Did you mean sop\?"),
        ('[[detector]]\nname = "a"\n', r"withgrain\.toml:1: detector 1: field is missing"),
        ("[vocabulry.operations]\n", r"no setting vocabulry\. Did you mean vocabulary\?|In withgrain\.toml"),
    ],
)
def test_a_mistake_names_file_line_path_and_nearest_name(tmp_path: Path, text: str, message: str) -> None:
    """An unknown key is an error with its path and the nearest name."""
    with pytest.raises(ConfigError, match=message):
        _load(tmp_path, text)
