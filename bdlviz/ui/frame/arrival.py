"""Apply a link to a page: a step of a lecture, a scene, a tab, single controls."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz.ui.frame import details, lecture, mode, prediction, tabs
from bdlviz.ui.model import Page
from bdlviz.ui.places import link


def arrive(page: Page) -> list[str]:
    """Apply the link of this run; returns one sentence for each part that cannot be applied."""
    given = link.arrive(page.title, page.controls)
    if given is None:
        return []
    prediction.drop()
    step, remarks = lecture.arrive(given)
    remarks += mode.remarks(page.controls)
    if any(control.key in given for control in page.controls):
        step = None  # the visitor has changed the state of the step
    tab = given.get(tabs.TAB) or (step.tab if step else "")
    tabs.ask_for(tab)
    details.ask_for(given.get(details.DETAIL) or tab)
    name = given.get(link.SCENE) or (step.scene if step else "")
    settings = dict(step.settings) if step else {}
    if not name:
        return remarks + link.adopt(settings or given, page.controls)
    return remarks + _enter(page, name, settings, given)


def _enter(page: Page, name: str, settings: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    """Show a scene by its name, with the settings of a step of a lecture; returns sentences on errors."""
    scene = next((scene for scene in page.scenes if scene.name == name), None)
    if name in page.former:
        return link.adopt({**page.former[name], **settings}, page.controls)
    if scene is None:
        link.adopt({}, page.controls)
        known = ", ".join(scene.name for scene in page.scenes)
        return [f"This page has no scene {link.quoted(name)}; its scenes are {known or 'none yet'}."]
    values = {**scene.values, **settings}
    link.adopt(values, page.controls)
    if scene.ask is not None and given.get(prediction.GUESS) != prediction.SKIP:
        prediction.ask(page, scene, values)
    return []
