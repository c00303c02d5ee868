// Pages of weir view of documents that view_documents.mjs makes.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { make } from './view_documents.mjs';

const web = dirname(dirname(fileURLToPath(import.meta.url)));
export const documents = new Map(); // by kind: those that have a page
export const bundled = existsSync(web + '/view.js');

// The page as the command makes it: the title is escaped, and the document has no '<'.
export function pageOf(kind, folder) {
  const file = folder + '/' + kind + '.html';
  if (documents.has(kind)) return file;
  const made = make(kind);
  documents.set(kind, made);
  const fill = {
    TITLE: made.title.replace(/&/g, '&amp;').replace(/</g, '&lt;'), STYLE: readFileSync(web + '/view.css', 'utf8'),
    SCRIPT: readFileSync(web + '/view.js', 'utf8').replace(/<\/script/g, '<\\/script'), DOCUMENT: JSON.stringify(made).replace(/</g, '\\u003c'),
  };
  writeFileSync(file, readFileSync(web + '/src/view.html', 'utf8').replace(/@(TITLE|STYLE|SCRIPT|DOCUMENT)@/g, (_, name) => fill[name]));
  return file;
}

// A column of a document, unpacked without the page's code.
export function column(kind, table, name) {
  const { type, data, delta } = documents.get(kind).tables[table].columns[name];
  const bytes = inflateSync(Buffer.from(data, 'base64'));
  const array = new { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array }[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  if (delta) for (let i = 1; i < array.length; i++) array[i] += array[i - 1];
  return array;
}
