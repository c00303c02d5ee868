// A menu of the versions whose sites stand beside this one (versions.js).
document.addEventListener("DOMContentLoaded", () => {
  const versions = window.weirVersions;
  const place = document.querySelector(".sidebar-brand");
  if (!versions || versions.length < 2 || !place) return;
  const root = document.documentElement.dataset.content_root || "./";
  const here = new URL(root, location.href).pathname.split("/").filter(Boolean).pop();
  const menu = document.createElement("select");
  menu.className = "weir-versions";
  menu.setAttribute("aria-label", "version");
  for (const version of versions) {
    const option = new Option(version, version, version === here, version === here);
    menu.append(option);
  }
  menu.addEventListener("change", () => {
    location.href = new URL(`${root}../${menu.value}/index.html`, location.href);
  });
  place.after(menu);
});
