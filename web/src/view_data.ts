// The document of weir view's page (src/weir/report/view.h), and how its tables are read.

export type Values = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export interface PackedColumn {
  type: "u8" | "u16" | "u32" | "f64";
  data: string; // base64 of a zlib stream of a little-endian typed array
  delta?: boolean; // each value is the difference to the one before
}

export interface PackedTable {
  rows: number;
  columns: Record<string, PackedColumn>;
}

export interface PartKind {
  name: string;
  label: string;
  meaning: string;
}

// What decides which messages hosts send, and on what they spend their time then.
export interface Driver {
  tag: string;
  activities: string[];
}

export interface ViewDocument {
  weir: string;
  format: number;
  title: string;
  result: string;
  complete: boolean;
  ended_by: string;
  reason?: string;
  changes?: number; // that were made while the run went on
  live?: "running" | "ended"; // it is served by the run itself, which goes on or has ended
  hosts: number;
  hosts_per_server?: number; // so many consecutive hosts are a server; 1 if it is not there
  switches: number;
  sim_time_ps: number;
  interval_ps: number;
  occupancy_interval_ps: number;
  omitted: { pauses: number; events: number; activities?: number };
  drivers?: Driver[]; // those of which activities are known
  activities_within_ps?: number; // activities of a host within spans of this length are put together; 0: none are
  tags: string[];
  algorithms: string[];
  parts: PartKind[];
  tables: Record<string, PackedTable>;
}

// In integer columns, the value of a field that is empty.
export const NONE = { u8: 0xff, u16: 0xffff, u32: 0xffffffff };

// A table with its columns as typed arrays.
export interface Table {
  rows: number;
  columns: Record<string, Values>;
}

const ARRAYS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };

export async function unpack(column: PackedColumn): Promise<Values> {
  const packed = Uint8Array.from(atob(column.data), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const values = new ARRAYS[column.type](await new Response(stream).arrayBuffer());
  if (column.delta) for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
  return values;
}

export async function unpackTable(table: PackedTable): Promise<Table> {
  const names = Object.keys(table.columns);
  const arrays = await Promise.all(names.map((name) => unpack(table.columns[name])));
  return { rows: table.rows, columns: Object.fromEntries(names.map((name, i) => [name, arrays[i]])) };
}

export function readDocument(): ViewDocument {
  return JSON.parse(document.getElementById("document")!.textContent!) as ViewDocument;
}
