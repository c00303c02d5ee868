// The document of weir view, and how its columns become arrays.
export type TypedArray = Uint8Array | Uint16Array | Uint32Array | Float64Array;

// A little-endian array, compressed by zlib, as base64.
export interface Column {
  type: 'u8' | 'u16' | 'u32' | 'f64';
  data: string;
  delta?: boolean; // values are differences to the row before
}

export interface Table {
  rows: number;
  columns: { [name: string]: Column };
}

export interface Part {
  name: string;
  label: string;
  meaning: string;
}

export interface ViewDocument {
  weir: string;
  format: number;
  title: string;
  result: string;
  complete: boolean;
  ended_by: string;
  reason?: string;
  hosts: number;
  switches: number;
  payload_bytes: number;
  sim_time_ps: number;
  interval_ps: number;
  occupancy_interval_ps: number;
  bins: number;
  omitted: { [what: string]: number };
  tags: string[];
  algorithms: string[];
  parts: Part[];
  tables: { [name: string]: Table };
}

const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };

export async function unpack(column: Column): Promise<TypedArray> {
  const text = atob(column.data);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const out: TypedArray = new arrays[column.type](await new Response(stream).arrayBuffer());
  if (column.delta) for (let i = 1; i < out.length; i++) out[i] += out[i - 1];
  return out;
}
