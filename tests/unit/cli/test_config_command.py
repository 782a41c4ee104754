"""``withgrain config show`` shows every setting, whatever its kind, with where it comes from."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from withgrain.cli import application

EVERYTHING = """collection = "kb"
exclude = ["drafts/"]
front_matter_labels = false

[labels]
team = "identity"

[path_labels]
"runbooks/**" = "team=sre"

[domains]
"okta/**" = "OKTA"

[classes]
"faq/" = "faq"
"""


@pytest.mark.parametrize("flags", [(), ("--origin",), ("--json",), ("--json", "--origin")])
def test_every_kind_of_setting_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    (tmp_path / "withgrain.toml").write_text(EVERYTHING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["withgrain", "config", "show", *flags])
    with pytest.raises(SystemExit) as ended:
        application.main()
    told = capsys.readouterr().out
    assert not ended.value.code
    if "--json" in flags:
        settings = json.loads(told)["settings"]
        assert settings["path_labels"]["value"] == {"runbooks/**": "team=sre"}
        assert settings["front_matter_labels"]["value"] is False
    else:
        assert "runbooks/**=team=sre" in told and "okta/**=OKTA" in told
        assert "false" in told and "False" not in told
    assert ("withgrain.toml:8" in told) == ("--origin" in flags)
