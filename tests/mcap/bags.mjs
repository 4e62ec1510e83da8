// Compares "info -j" of each value in other programs' ROS bags with the values that the libraries of the
// format's authors read.
//
//     node bags.mjs INFO FILE.mcap…       INFO: a tool with its command
import fs from "fs";
import { execFileSync } from "child_process";
import { McapStreamReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";

const [tool, ...paths] = process.argv.slice(2);
const decompressHandlers = await loadDecompressHandlers();
let bad = 0;

function* flat(value, name) {
  if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* flat(item, `${name}.${key}`);
  else yield [name, value];
}

function read(path) {
  const reader = new McapStreamReader({ decompressHandlers });
  const schemas = new Map(), channels = new Map(), seen = new Map();
  reader.append(fs.readFileSync(path));
  for (let record; (record = reader.nextRecord()); ) {
    if (record.type === "Schema") schemas.set(record.id, record);
    if (record.type === "Channel" && !channels.has(record.id)) {
      const schema = schemas.get(record.schemaId);
      const text = new TextDecoder().decode(schema.data);
      // A service definition has no messages.
      const definitions = text.includes("\n---\n") ? null : parse(text, { ros2: true });
      channels.set(record.id, { topic: record.topic.replace(/^\//, "").replaceAll("/", "."), encoding: record.messageEncoding,
                                reader: definitions && new MessageReader(definitions) });
    }
    if (record.type !== "Message") continue;
    const channel = channels.get(record.channelId);
    if (channel.encoding !== "cdr") throw new Error("encoded as " + channel.encoding);
    if (!channel.reader) continue;
    for (const [name, value] of flat(channel.reader.readMessage(record.data), channel.topic)) {
      const all = seen.get(name) ?? { count: 0, min: Infinity, max: -Infinity };
      all.count++;
      if (typeof value !== "string") {
        all.min = Math.min(all.min, Number(value));
        all.max = Math.max(all.max, Number(value));
      }
      seen.set(name, all);
    }
  }
  return seen;
}

const near = (ours, theirs) =>
  theirs === Infinity || theirs === -Infinity ? ours === null : Math.abs(ours - theirs) <= 1e-6 * Math.abs(theirs);

for (const path of paths) {
  let ours, theirs, wrong = [];
  try {
    ours = execFileSync(tool, ["-q", "-j", "info", path], { encoding: "utf8", stdio: "pipe" }).trim().split("\n").map((l) => JSON.parse(l));
    ours = new Map(ours.filter((row) => row.field).map((row) => [row.field, row]));
  } catch (e) { ours = e.stderr.trim(); }
  try { theirs = read(path); } catch (e) { theirs = String(e); }
  if (typeof ours === "string" || typeof theirs === "string") {
    const none = typeof theirs !== "string" && theirs.size === 0;
    if (typeof theirs !== "string" && !none) wrong.push("refused by armwire only: " + ours);
    else if (typeof ours !== "string") wrong.push("accepted by armwire only: " + theirs);
  } else {
    for (const [name, t] of theirs) {
      const o = ours.get(name);
      if (!o || o.count !== t.count || !near(o.min, t.min) || !near(o.max, t.max)) wrong.push(`${name} ${JSON.stringify([o, t])}`);
    }
    for (const name of ours.keys()) if (!theirs.has(name)) wrong.push(name + ": unknown to the library");
  }
  bad += wrong.length > 0;
  console.log(`${wrong.length ? "not ok" : "ok"} ${path}: ${typeof ours === "string" ? ours : `${ours.size} values equal`}`);
  wrong.slice(0, 3).forEach((w) => console.log("  " + w));
}
process.exit(bad ? 1 : 0);
