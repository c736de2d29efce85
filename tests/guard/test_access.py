"""What a connection may use: tiers and their lists, grants, what is given ahead of time, and the desktop's own keys."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.guard import system_keys
from deskhand.guard.access import LONGEST_NAME, Access, plain
from deskhand.guard.given import Flag, Given, GivenApp, given_app
from deskhand.guard.policy import Deed
from deskhand.guard.policy_file import load_policy
from deskhand.guard.tier_lists import load_tiers
from deskhand.guard.tiers import Tier
from deskhand.model.errors import BadPolicy, Denied, NotGranted
from deskhand.model.keys import Modifier, parse_chord

TIERS = load_tiers()
_SYSTEMS = """
alt+F4 Alt_L+f4 alt+KP_F4 shift+alt+F4 altgr+alt+f4 alt+Tab alt+shift+tab shift+alt+Tab alt+ISO_Left_Tab
alt+KP_Tab ctrl+alt+tab super Super_L super_r meta win hyper_l super+l SUPER+L win+d shift+super+s super+1
ctrl+alt+Delete alt+ctrl+del control+option+delete ctrl+alt+KP_Delete ctrl+alt+KP_Decimal ctrl+alt+BackSpace
Terminate_Server ctrl+alt+F1 alt+ctrl+f12 ctrl+alt+shift+F7 ctrl+alt+L2 XF86Switch_VT_3 xf86_switch_vt_1 alt+F2 alt+f1
ctrl+alt+L ctrl+alt+t alt+space alt+KP_Space ctrl+alt+Left alt+Escape alt+esc ctrl+Escape alt+grave alt+`
alt+asciitilde Print alt+Print shift+printscreen Sys_Req ctrl+alt+esc XF86PowerOff XF86Sleep XF86LogOff
XF86ScreenSaver XF86Launch1
"""
_APPLICATIONS = """
enter ctrl+s ctrl+shift+t alt+f alt+Left F4 ctrl+F4 shift+F10 Tab ctrl+Tab Escape Delete ctrl+Delete space
ctrl+space ctrl+alt+c alt alt+F7 XF86AudioPlay XF86Back volume_up cmd+l KP_Delete grave F1 F12
"""


def access(*apps: GivenApp, flags: frozenset[Flag] = frozenset(), everything: bool = False) -> Access:
    return Access(Given(apps, flags, everything), TIERS)


class TestTheLists:
    """Which application is used how far, where nobody has said more."""

    @pytest.mark.parametrize(
        ("names", "tier"),
        [
            ({"firefox esr", "firefox-esr"}, Tier.VIEW),
            ({"org.mozilla.firefox"}, Tier.VIEW),
            ({"google chrome", "google-chrome"}, Tier.VIEW),
            ({"electrum"}, Tier.VIEW),
            ({"xterm"}, Tier.CLICK),
            ({"org.gnome.terminal", "gnome-terminal-server"}, Tier.CLICK),
            ({"visual studio code", "code"}, Tier.CLICK),
            ({"jetbrains-idea-ce"}, Tier.CLICK),
            ({"mousepad", "org.xfce.mousepad"}, Tier.FULL),
            ({"first steps"}, Tier.FULL),
            ({"stellarium"}, Tier.FULL),
            ({"gedit"}, Tier.FULL),
        ],
    )
    def test_by_its_names(self, names: set[str], tier: Tier) -> None:
        assert TIERS.of(names) is tier

    def test_by_what_its_desktop_file_says_it_is(self) -> None:
        assert TIERS.of({"nobody knows it"}, {"Network", "WebBrowser"}) is Tier.VIEW
        assert TIERS.of({"nobody knows it"}, {"System", "TerminalEmulator"}) is Tier.CLICK

    def test_the_users_own_come_first(self, tmp_path: Path) -> None:
        own = tmp_path / "tiers.toml"
        own.write_text('[full]\napps = ["Firefox*"]\n[view]\napps = ["mousepad"]\n')
        tiers = load_tiers(own)
        assert tiers.of({"firefox esr"}, {"WebBrowser"}) is Tier.FULL
        assert tiers.of({"mousepad"}) is Tier.VIEW
        assert tiers.of({"chromium"}) is Tier.VIEW

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("[view]\napps = [1]", "[view] apps must be a list of names"),
            ("[look]\napps = []", "there is no tier 'look'"),
            ("[view]\nmore = []", "apps and categories"),
            ("[view\n", "line 1"),
        ],
    )
    def test_what_cannot_be_used_is_told(self, tmp_path: Path, text: str, said: str) -> None:
        own = tmp_path / "tiers.toml"
        own.write_text(text)
        with pytest.raises(BadPolicy) as caught:
            load_tiers(own)
        assert said in str(caught.value)
        assert str(own) in str(caught.value)

    def test_who_else_could_write_it_is_not_trusted(self, tmp_path: Path) -> None:
        own = tmp_path / "tiers.toml"
        own.write_text("")
        own.chmod(0o666)
        with pytest.raises(BadPolicy, match="others than its owner"):
            load_tiers(own)

    @given(st.sampled_from(Tier), st.sampled_from(Tier))
    def test_each_allows_what_those_before_it_do(self, one: Tier, other: Tier) -> None:
        order = [Tier.VIEW, Tier.CLICK, Tier.FULL]
        assert one.allows(other) == (order.index(one) >= order.index(other))


class TestGrants:
    """What was granted on request, and ahead of time."""

    def check(self, access: Access, need: Tier, *names: str) -> None:
        access.check_app(set(names), (), names[0], Deed.CLICK, need, front=False)

    def test_nothing_is_granted_at_first(self) -> None:
        with pytest.raises(NotGranted) as caught:
            self.check(access(), Tier.VIEW, "mousepad")
        assert str(caught.value) == "mousepad is not granted: clicking on it is refused"
        assert 'request_access with apps ["mousepad"]' in caught.value.recovery
        assert isinstance(caught.value, Denied)

    def test_a_grant_holds_as_far_as_its_tier(self) -> None:
        own = access()
        own.grant("xterm", "XTerm", Tier.CLICK)
        self.check(own, Tier.CLICK, "xterm", "uxterm")
        with pytest.raises(NotGranted) as caught:
            self.check(own, Tier.FULL, "xterm")
        assert str(caught.value) == "clicking on xterm needs the tier full; it is granted with the tier click"
        assert "left_click" in caught.value.recovery
        with pytest.raises(NotGranted):
            self.check(own, Tier.VIEW, "mousepad")

    def test_one_of_another_name_of_the_same_program_is_not_meant(self) -> None:
        own = access()
        own.grant("org.example.Notes", "Notes", Tier.FULL)
        self.check(own, Tier.FULL, "notes", "org.example.notes", "python3")
        with pytest.raises(NotGranted):
            self.check(own, Tier.FULL, "bank", "python3")

    def test_one_given_ahead_has_the_tier_of_the_lists_or_its_own(self) -> None:
        own = access(GivenApp("Firefox"), GivenApp("chromium.desktop", Tier.FULL))
        assert own.tier_of({"firefox"}) is Tier.VIEW
        assert own.tier_of({"chromium"}) is Tier.FULL
        assert own.tier_of({"mousepad"}) is None

    def test_everything_is_everything(self) -> None:
        own = access(everything=True)
        assert own.tier_of({"firefox"}) is Tier.FULL
        assert own.flags == set(Flag)

    def test_flags(self) -> None:
        own = access(flags=frozenset({Flag.CLIPBOARD_READ}))
        own.check_flag(Flag.CLIPBOARD_READ)
        with pytest.raises(NotGranted, match="write to the clipboard"):
            own.check_flag(Flag.CLIPBOARD_WRITE)
        own.allow([Flag.CLIPBOARD_WRITE])
        own.check_flag(Flag.CLIPBOARD_WRITE)

    def test_two_connections_have_nothing_in_common(self) -> None:
        given_ahead = Given((GivenApp("mousepad"),))
        one, other = Access(given_ahead, TIERS), Access(given_ahead, TIERS)
        one.grant("xterm", "XTerm", Tier.CLICK)
        one.allow(tuple(Flag))
        assert (other.grants, other.flags) == ([], frozenset())

    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ("firefox", GivenApp("firefox")),
            ("firefox=full", GivenApp("firefox", Tier.FULL)),
            (" Text Editor =click", GivenApp("Text Editor", Tier.CLICK)),
        ],
    )
    def test_as_it_is_written(self, written: str, read: GivenApp) -> None:
        assert given_app(written) == read

    @pytest.mark.parametrize(
        "written", ["bash", "python3", "python3.11=full", " Java ", "node", "Tk=click", "sh.desktop"]
    )
    def test_what_would_be_many(self, written: str) -> None:
        with pytest.raises(ValueError, match="every APP that"):
            given_app(written)

    def test_one_given_ahead_is_not_meant_by_what_runs_it(self) -> None:
        assert access(GivenApp("python3", Tier.FULL)).tier_of({"terminator", "python3"}) is None

    @pytest.mark.parametrize("written", ["", "=full", "firefox=all", "firefox=", "a=b=c"])
    def test_what_is_none(self, written: str) -> None:
        with pytest.raises(ValueError, match="APP"):
            given_app(written)


class TestThePolicyFile:
    """Its [grants]."""

    def test_it_grants(self, tmp_path: Path) -> None:
        path = tmp_path / "policy.toml"
        path.write_text('[grants]\napps = ["mousepad", "firefox=full"]\nclipboard_read = true\nsystem_keys = false\n')
        found = load_policy(path).given
        assert found == Given((GivenApp("mousepad"), GivenApp("firefox", Tier.FULL)), frozenset({Flag.CLIPBOARD_READ}))

    @pytest.mark.parametrize(
        ("text", "line", "said"),
        [
            ('[grants]\napps = ["firefox=all"]', 2, "'firefox=all' is not an app's name"),
            ("[grants]\napps = [7]", 2, "7 is not an app's name"),
            ("[grants]\n\nclipboard = true", 3, "unknown key 'clipboard'"),
            ('[grants]\neverything = "yes"', 2, "everything must be true or false"),
            ("grants = true", 1, "must be a table"),
        ],
    )
    def test_what_cannot_be_used_is_told_with_its_line(self, tmp_path: Path, text: str, line: int, said: str) -> None:
        path = tmp_path / "policy.toml"
        path.write_text(text)
        with pytest.raises(BadPolicy) as caught:
            load_policy(path)
        assert f"line {line}" in str(caught.value)
        assert said in str(caught.value)


class TestTheDesktopsOwnKeys:
    """Refused without systemKeyCombos, however they are written."""

    @pytest.mark.parametrize(
        "written",
        _SYSTEMS.split(),
    )
    def test_they_are_known(self, written: str) -> None:
        with pytest.raises(NotGranted) as caught:
            system_keys.check_chord(access(), parse_chord(written))
        assert "systemKeyCombos" in caught.value.recovery
        system_keys.check_chord(access(flags=frozenset({Flag.SYSTEM_KEYS})), parse_chord(written))

    @pytest.mark.parametrize(
        "written",
        _APPLICATIONS.split(),
    )
    def test_an_applications_own_are_free(self, written: str) -> None:
        system_keys.check_chord(access(), parse_chord(written))

    @pytest.mark.parametrize(
        "written", ["alt+U0020", "alt+U0060", "0xffeb", "ctrl+alt+0xffff", "alt+0XFF09", "alt+\x1b"]
    )
    def test_no_number_goes_round_it(self, written: str) -> None:
        with pytest.raises(NotGranted) as caught:
            system_keys.check_chord(access(), parse_chord(written))
        assert "systemKeyCombos" in caught.value.recovery
        system_keys.check_chord(access(flags=frozenset({Flag.SYSTEM_KEYS})), parse_chord(written))

    def test_what_is_held_already_counts(self) -> None:
        for held, written in (
            ([Modifier.ALT], "F4"),
            ([Modifier.CTRL, Modifier.ALT], "delete"),
            ([Modifier.SUPER], "l"),
        ):
            with pytest.raises(NotGranted):
                system_keys.check_chord(access(), parse_chord(written), held)

    def test_super_is_not_held_while_something_is_clicked(self) -> None:
        with pytest.raises(NotGranted):
            system_keys.check_held(access(), [Modifier.SHIFT, Modifier.SUPER])
        system_keys.check_held(access(), [Modifier.SHIFT, Modifier.CTRL, Modifier.ALT])

    @given(
        st.permutations(["ctrl", "alt", "shift"]),
        st.sampled_from(["DELETE", "delete", "Del", "f7", "F12", "BackSpace"]),
    )
    def test_the_order_does_not_matter(self, modifiers: list[str], key: str) -> None:
        assert system_keys.is_systems(parse_chord("+".join((*modifiers, key))))


class TestPlainText:
    """What comes from windows, files and models is shown short, on one line, with plain characters."""

    @given(st.text(max_size=300))
    @settings(max_examples=300)
    def test_nothing_else_is_left(self, text: str) -> None:
        shown = plain(text)
        assert len(shown) <= LONGEST_NAME
        assert shown == shown.strip()
        assert all(one.isalnum() or one in " .-_+&'()…" for one in shown)

    def test_what_people_call_their_applications_stays(self) -> None:
        assert plain("LibreOffice Writer") == "LibreOffice Writer"
        assert plain("Bücher & Notizen (2)") == "Bücher & Notizen (2)"
        assert plain("a\nb\u202ec\u200bd") == "a b c d"
        assert plain("x" * 60) == "x" * 39 + "…"
