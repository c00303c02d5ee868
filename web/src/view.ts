// The page of weir view: a result looked at from inside.

import { readDocument, unpackTable } from "./view_data";

function cell(row: HTMLTableRowElement, text: string): void {
  row.insertCell().textContent = text;
}

// What the document holds, table by table.
async function show(): Promise<void> {
  const data = readDocument();
  const place = document.getElementById("view")!;
  const heading = document.createElement("h1");
  heading.textContent = data.title || data.result;
  const facts = document.createElement("p");
  facts.textContent = `${data.hosts} hosts, ${data.switches} switches, ${data.sim_time_ps / 1e9} ms`;
  const list = document.createElement("table");
  for (const [name, packed] of Object.entries(data.tables)) {
    const table = await unpackTable(packed);
    const row = list.insertRow();
    cell(row, name);
    cell(row, `${table.rows} rows`);
    cell(row, Object.keys(table.columns).join(", "));
  }
  place.append(heading, facts, list);
  place.dataset.ready = "true";
}

void show();
