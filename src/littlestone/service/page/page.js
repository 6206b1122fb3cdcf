// The page: reads a model's card once, then follows its events.
"use strict";

const byId = (id) => document.getElementById(id);
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const whole = new Intl.NumberFormat("en");

const KEPT = 600;    // points of a chart that moves
const NEWEST = 12;   // mistakes in the table
const WINDOW = 200;  // labels of the rate
const PAST = 400;    // rows to read before following
const SHOWN = 60;    // seconds that a chart over time shows at least
const AGAIN = 5;     // seconds until the rule and the weights are read again

let token = sessionStorage.getItem("token") || "";
let turn = 0;        // of the model that is followed; older followers end
let charts = {};
let last = null;     // the state before
let delays = [];     // the ends of the bars, in seconds
let windowed = [];   // mistakes among the latest labels, or what they lost
let charged = false; // whether the model predicts numbers, which are lost, not wrong
let read_at = 0;     // when the card was read

async function get(path, headers = {}) {
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { headers, cache: "no-store" });
  if (answer.status === 401 || answer.status === 403) {
    byId("login").hidden = false;
    throw new Error("a token is needed");
  }
  if (!answer.ok) throw new Error(`${answer.status}`);
  byId("login").hidden = true;
  return answer;
}

function say(text, lost = false) {
  const link = byId("link");
  if (link.textContent !== text) link.textContent = text;
  link.classList.toggle("lost", lost);
}

// Charts ----------------------------------------------------------------------------

function chart(id, series, time) {
  const box = byId(id);
  box.replaceChildren();
  const axis = { stroke: css("--soft"), grid: { stroke: css("--line") }, ticks: { stroke: css("--line") } };
  const options = {
    width: box.clientWidth, height: 190, cursor: { drag: { x: false, y: false } },
    scales: {
      x: { time, range: (_, low, high) => (time ? [Math.min(low, high - SHOWN), high] : [low, high]) },
      y: { range: (_, low, high) => [Math.min(0, low), 1.05 * Math.max(0, high) || 1] },
    },
    series: [{ label: time ? "time" : "labels" }, ...series.map(([label, color]) => (
      { label, stroke: css(color), width: 2, spanGaps: true }))],
    axes: [axis, { ...axis, size: 56 }],
  };
  const data = [[], ...series.map(() => [])];
  const plot = new uPlot(options, data, box);
  box.setAttribute("role", "img");
  return { plot, data, box };
}

function push(made, x, ...values) {
  const { data, plot } = made;
  const at = data[0].length - 1;
  if (at >= 0 && data[0][at] === x) {
    values.forEach((value, k) => { data[k + 1][at] = value; });
  } else {
    data[0].push(x);
    values.forEach((value, k) => data[k + 1].push(value));
  }
  while (data[0].length > KEPT) {
    // Thin out the past instead of forgetting it.
    for (const column of data) {
      for (let k = column.length - 2; k > 0; k -= 2) column.splice(k, 1);
    }
  }
  plot.setData(data);
}

addEventListener("resize", () => {
  for (const { plot, box } of Object.values(charts)) plot.setSize({ width: box.clientWidth, height: 190 });
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => follow());

function bars(id, rows) {
  const largest = Math.max(...rows.map(([, value]) => Math.abs(value)), 1e-12);
  const body = byId(id).tBodies[0];
  body.replaceChildren(...rows.map(([name, value]) => {
    const row = document.createElement("tr");
    const bar = document.createElement("meter");
    bar.max = largest;
    bar.value = Math.abs(value);
    bar.setAttribute("aria-hidden", "true");
    for (const part of [name, short.format(value), bar]) {
      row.insertCell().append(part);
    }
    return row;
  }));
}

// What is shown -----------------------------------------------------------------------

function seconds(value) {
  for (const [size, unit] of [[86400, "d"], [3600, "h"], [60, "min"]]) {
    if (value >= size) return `${value / size} ${unit}`;
  }
  return `${value} s`;
}

function show(state) {
  const { rounds, mistakes, loss, bound } = state;
  const rate = rounds ? (charged ? loss : mistakes) / rounds : 0;
  const counts = {
    "labels learned": whole.format(rounds),
    ...(charged
      ? { loss: short.format(loss), "loss a label": short.format(rate) }
      : { mistakes: whole.format(mistakes), "rate of mistakes": `${short.format(100 * rate)} %` }),
    bound: bound === null ? "none" : short.format(bound),
    waiting: whole.format(state.open),
    "waited at once": whole.format(state.outstanding),
    expired: whole.format(state.expired),
    "rows of the ledger": whole.format(state.seq),
  };
  byId("counts").replaceChildren(...Object.entries(counts).map(([name, value]) => {
    const box = document.createElement("div");
    const term = document.createElement("dt");
    const said = document.createElement("dd");
    term.textContent = name;
    said.textContent = value;
    said.dataset.name = name;
    box.append(term, said);
    return box;
  }));
  const made = charged ? `loss ${short.format(loss)}` : `${whole.format(mistakes)} mistakes`;
  let text = `${made} in ${whole.format(rounds)} labels`;
  if (bound !== null) {
    const most = `at most ${short.format(bound)} ${state.bound_of} by ${state.theorem}`;
    const empty = state.vacuous ? ", which is vacuous: it says nothing yet"
      : state.tautological ? ", which is tautological: it only repeats the mistakes" : "";
    text += state.exceeded ? `: MORE THAN ${most}, so a premise is broken`
      : `; ${most}${empty}`;
  }
  if (byId("summary").textContent !== text) byId("summary").textContent = text;
  push(charts.mistakes, rounds, counted(state), bound);
  charts.mistakes.box.setAttribute("aria-label", text);
  const now = Date.now() / 1000;
  push(charts.open, now, state.open);
  if (last && now > last.now) {
    push(charts.flow, now, Math.max(0, rounds - last.rounds) / (now - last.now));
  }
  if (windowed.length) {
    const sum = windowed.reduce((total, each) => total + Number(each), 0);
    push(charts.rate, now, (charged ? 1 : 100) * sum / windowed.length);
  }
  last = { now, rounds };
  bars("delays", state.delays.map((count, k) => (
    [k < delays.length ? `up to ${seconds(delays[k])}` : "later", count])));
  byId("experts").hidden = state.weights === null;
  if (state.weights !== null) {
    bars("weights", state.weights);
    byId("regret").textContent = state.regret === null ? ""
      : `regret ${short.format(state.regret)} to ${state.best_expert}`;
  }
}

// What the bound is about, as far as the run has come.
function counted({ mistakes, loss, regret, bound_of: of }) {
  if (!charged) return mistakes;
  return of === "regret" && regret !== null ? regret : loss;
}

function row(event) {
  if (event.kind !== "label" && event.kind !== "default") return;
  windowed.push(charged ? event.loss : event.mistake);
  if (windowed.length > WINDOW) windowed.shift();
  if (!event.mistake) return;
  const body = byId("newest").tBodies[0];
  const made = body.insertRow(0);
  const weighed = (event.weighed || []).map(([name, part]) => `${name} ${short.format(part)}`);
  for (const part of [event.id, event.prediction, event.label, weighed.join(", ")]) {
    made.insertCell().textContent = part === undefined ? "" : String(part);
  }
  while (body.rows.length > NEWEST) body.deleteRow(-1);
}

// The stream --------------------------------------------------------------------------

function explain(card) {
  read_at = Date.now();
  byId("words").hidden = !card.rule;
  if (byId("rule").textContent !== card.rule) byId("rule").textContent = card.rule;
  byId("features").hidden = !card.top.length || card.weights !== null;
  bars("top", card.top);
}

// The rule and the weights change more slowly than the counts, and are longer.
async function again(name, mine) {
  if (Date.now() < read_at + 1000 * AGAIN) return;
  read_at = Date.now();
  try {
    const card = await (await get(`v1/models/${encodeURIComponent(name)}`)).json();
    if (mine === turn) explain(card);
  } catch { /* the stream of events notices */ }
}

function draw(card) {
  charged = ["number", "distribution"].includes(card.outcome);
  const what = !charged ? "mistakes" : card.bound_of === "regret" ? "regret" : "loss";
  byId("h-mistakes").textContent = `${what[0].toUpperCase()}${what.slice(1)} beside the bound`;
  byId("h-rate").textContent = charged ? "Loss a label, latest labels" : "Rate of mistakes, latest labels";
  byId("wrong").hidden = charged;
  charts = {
    mistakes: chart("mistakes", [[what, "--made"], ["bound", "--bound"]], false),
    rate: chart("rate", [[charged ? "loss" : "% wrong", "--made"]], true),
    flow: chart("flow", [["labels/s", "--bound"]], true),
    open: chart("open", [["waiting", "--bound"]], true),
  };
  for (const [id, label] of [["rate", charged ? "the loss a label" : "the rate of mistakes"], ["flow", "labels a second"], ["open", "predictions that wait"]]) {
    charts[id].box.setAttribute("aria-label", `Chart of ${label}`);
  }
  last = null;
  windowed = [];
  delays = card.delay_seconds;
  byId("newest").tBodies[0].replaceChildren();
  for (const [rounds, mistakes, bound, loss, regret] of card.curve) {
    push(charts.mistakes, rounds, counted({ ...card, mistakes, loss, regret }), bound);
  }
  explain(card);
  show(card);
}

async function read(name, mine, position) {
  const path = `v1/events?model=${encodeURIComponent(name)}`;
  const answer = await get(path, { "Last-Event-ID": position.at });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  say("live");
  for (;;) {
    const { value, done } = await reader.read();
    if (mine !== turn) { reader.cancel(); return; }
    if (done) throw new Error("the stream has ended");
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const text of events) {
      const said = {};
      for (const line of text.split("\n")) {
        const colon = line.indexOf(": ");
        said[line.slice(0, colon)] = line.slice(colon + 2);
      }
      if (said.id) position.at = said.id;
      if (said.event === "row") row(JSON.parse(said.data));
      if (said.event === "state") {
        show(JSON.parse(said.data));
        again(name, mine);
      }
    }
  }
}

async function follow() {
  const mine = ++turn;
  const name = byId("model").value;
  const position = { at: null };
  let pause = 500;
  let drawn = false;
  while (mine === turn) {
    try {
      const card = await (await get(`v1/models/${encodeURIComponent(name)}`)).json();
      if (mine !== turn) return;
      if (!drawn) draw(card);
      drawn = true;
      // Begin a little in the past, so that the newest mistakes are there at once.
      position.at ??= `${name}=${Math.max(0, card.seq - PAST)}`;
      pause = 500;
      await read(name, mine, position);
    } catch (error) {
      if (mine !== turn) return;
      say(`lost the server (${error.message}), trying again`, true);
    }
    await new Promise((later) => { setTimeout(later, pause); });
    pause = Math.min(2 * pause, 5000);
  }
}

async function start() {
  try {
    const { models } = await (await get("v1/models")).json();
    byId("model").replaceChildren(...models.map(({ name }) => new Option(name, name)));
    follow();
  } catch (error) {
    say(`no models yet (${error.message})`, true);
    if (byId("login").hidden) setTimeout(start, 2000);
  }
}

byId("model").addEventListener("change", follow);
byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value.trim();
  sessionStorage.setItem("token", token);
  start();
});
start();
