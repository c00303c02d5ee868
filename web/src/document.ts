// The report document, as src/weir/report/document.h writes it.

export interface Axis {
  label: string;
  unit: string;
  scale?: 'linear' | 'log' | 'category';
  categories?: string[];
  named?: { at: number; text: string }[]; // values with ticks that say something else
  units?: string[]; // of the values of a radar, by category
  centre?: number; // of z: where colours go two ways
}

export interface Series {
  name: string;
  x: number[];
  y: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  printed?: boolean; // the authors' printed values
  count?: (number | null)[]; // of how many values each y is; of several runs the fewest
  few?: number[]; // places of percentiles that are the largest of so few values, in some run
  z?: (number | null)[]; // of a surface: values of cells
  values?: (number | null)[]; // of a radar: what was measured, which y has from worst to best
}

export interface Figure {
  id: string;
  title: string;
  caption?: string;
  kind: 'lines' | 'steps' | 'bars' | 'scatter' | 'stack' | 'radar' | 'surface';
  x: Axis;
  y: Axis;
  z?: Axis; // of a surface: its colours
  series: Series[];
  legend?: string; // of what the series' names are values
  group?: string; // the heading under which it stands
  whiskers?: string; // what low and high of the series are
  setting?: string; // of the experiment
  left_out?: string; // flows that are not in it
}

export interface Distribution {
  count: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface PausedPort {
  port: number;
  from: number;
  to: number;
  pauses: number;
  paused_ps: number;
  share: number; // of the run
}

export interface Run {
  name: string;
  group?: string; // the study it belongs to
  labels?: string[]; // of the study's axes, and its seed if there are several
  manifest: { [key: string]: any };
  summary: { [key: string]: any };
  scenario: string;
  algorithms: string[]; // of its flows, with their policies: "pcc_rl (wide)"
  events?: string[]; // what happens to links, in words
  paused_ports?: number; // how many PFC has paused
  paused?: PausedPort[]; // the first of them, the longest paused first
  differences?: [string, string][]; // keys of the scenario in which runs of the report differ, with this run's values
}

export interface Study {
  name: string;
  runs: number; // planned
  done: number;
  failed: { run: string; message: string }[];
  columns: string[]; // of points.csv
  units: string[]; // of each of them; '' = a label of an axis
  words: string[]; // what each of them is of; '' = not known
  better: string[]; // of which the 'lower' or 'higher' value is better; '' = not known
  best: number[][]; // by column: the points that are the best of those with the same traffic and topology
  points: string[][];
  counts: ({ fewest: number; most: number; few: boolean } | null)[][]; // by column and point: of how many values a percentile is, in its runs
}

export interface Training {
  name: string;
  title?: string;
  updates: number; // 0 = a policy alone
  facts: [string, string][]; // of the policy; none as long as the training goes on
  curriculum?: string; // TOML
}

// What On-Ramp did on a real host.
export interface Capture {
  name: string;
  facts: [string, string][];
}

export interface Claim {
  id: string;
  verdict: 'holds' | 'fails' | 'undecided' | 'not run';
  firmness?: string;
  paper?: string;
  figure?: string;
  expected?: string;
  rule?: string;
  measured?: string;
  reason?: string;
}

export interface Report {
  title: string;
  version: string;
  runs: Run[];
  studies: Study[];
  trainings: Training[];
  captures: Capture[];
  figures: Figure[];
  claims: Claim[];
  notices: string[];
  no_figures: string; // why there are none
}
