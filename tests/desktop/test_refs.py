"""A handle stands for one element of one generation, and never silently for another."""

import threading
from itertools import count

import pytest

from deskhand.desktop.elements.refs import Generation, Refs
from deskhand.model.element import Element, NodeRef, State
from deskhand.model.errors import ElementGone, HandleNotFound, StaleRef


def element(path: str = "/button", title: str = "Save", role: str = "push button") -> Element:
    return Element(NodeRef(":1.7", path), "button", title, None, None, State.ENABLED, native_role=role)


@pytest.fixture
def generation() -> Generation:
    return Generation()


@pytest.fixture
def refs(generation: Generation) -> Refs:
    return Refs(generation)


def test_a_handle_stands_for_the_element_it_was_given_for(refs: Refs) -> None:
    first, second = refs.give(element("/1", "Save")), refs.give(element("/2", "Open"))
    assert (first, second) == ("g1:1", "g1:2")
    assert first
    assert second
    assert refs.find(first).node == NodeRef(":1.7", "/1")
    assert refs.find(second).title == "Open"
    assert refs.app_of(first) == ":1.7"


def test_an_element_only_the_window_manager_knows_has_no_handle(refs: Refs) -> None:
    assert refs.give(element("")) is None


def test_an_act_makes_older_handles_stale(refs: Refs, generation: Generation) -> None:
    handle = refs.give(element())
    assert handle
    assert generation.advance() == 2
    with pytest.raises(StaleRef, match=r"STALE_REF: handle g1:1 is from a previous generation \(current: g2\)\."):
        refs.find(handle)
    fresh = refs.give(element())
    assert fresh == "g2:2"
    assert refs.find("g2:2").title == "Save"


@pytest.mark.parametrize(
    "handle", ["", "g1", "g1:", "g1:0", "g0:1", "g1:01", "g01:1", "x1:1", "g1:1 ", "g1:999", "g99:1", "G1:1", "g1:1:1", "g٣:١"]
)  # fmt: skip
def test_what_was_never_given_out_is_not_found(refs: Refs, handle: str) -> None:
    refs.give(element())
    with pytest.raises(HandleNotFound):
        refs.find(handle)


def test_handles_of_an_ended_session_are_not_found_and_numbers_are_not_used_again(refs: Refs) -> None:
    handle = refs.give(element())
    assert handle
    refs.clear()
    with pytest.raises(HandleNotFound):
        refs.find(handle)
    assert refs.app_of(handle) == ""
    assert refs.give(element()) == "g1:2"


def test_only_the_handles_of_one_generation_are_kept(refs: Refs, generation: Generation) -> None:
    for _ in range(50):
        for number in range(100):
            refs.give(element(f"/{number}"))
        generation.advance()
    refs.give(element())
    assert len(refs) == 1


def test_each_client_has_handles_of_its_own_in_the_same_generation(generation: Generation) -> None:
    one, other = Refs(generation), Refs(generation)
    handle = one.give(element())
    assert handle
    with pytest.raises(HandleNotFound):
        other.find(handle)
    generation.advance()
    for refs in (one, other):
        with pytest.raises(StaleRef):
            refs.find(handle)


@pytest.mark.parametrize("other", [element(title="Delete"), element(role="check box")])
def test_a_handle_refuses_another_element_in_the_place_of_its_own(refs: Refs, other: Element) -> None:
    handle = refs.give(element())
    assert handle
    with pytest.raises(ElementGone, match="in its place"):
        refs.find(handle).check(other)
    refs.find(handle).check(element())


def test_handles_given_out_at_the_same_time_are_all_different(refs: Refs) -> None:
    given: list[str | None] = []
    numbers = count()

    def give() -> None:
        for number in range(200):
            given.append(refs.give(element(f"/{next(numbers)}/{number}")))

    threads = [threading.Thread(target=give) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(given)) == 1600
    assert all(refs.find(handle) for handle in given if handle)


def test_who_looks_again_and_again_is_given_the_same_handle_until_something_is_done(
    refs: Refs, generation: Generation
) -> None:
    handle = refs.give(element())
    assert all(refs.give(element()) == handle for _ in range(100))
    assert len(refs) == 1
    assert refs.give(element(title="Save As")) != handle
    generation.advance()
    assert refs.give(element()) != handle
