"""Pages that the menu does not list, such as those of claims, share the menu of their folder: to make one takes longer than
to write the page."""
import posixpath


def share(app, page, _template, context, _doctree):
    if "orphan" not in app.env.metadata.get(page, {}):
        return
    make, made = context["toctree"], app.env.temp_data.setdefault("menus", {})

    def toctree(**options):
        key = posixpath.dirname(page), tuple(sorted(options.items()))
        if key not in made:
            made[key] = make(**options)
        return made[key]

    context["toctree"] = toctree


def setup(app):
    app.connect("html-page-context", share, priority=100)  # before the theme asks for the menu
    return {"parallel_read_safe": True, "parallel_write_safe": True}
