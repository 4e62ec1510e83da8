// Reads an MCAP file with the libraries of the format's authors and compares it with make_frames' output:
//
//     node read.mjs FILE.mcap EXPECTED
import fs from "fs";
import { McapIndexedReader } from "@mcap/core";
import { loadDecompressHandlers } from "@mcap/support";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";

const [path, expected] = process.argv.slice(2);
const data = fs.readFileSync(path);
const readable = {
  size: async () => BigInt(data.length),
  read: async (offset, length) => new Uint8Array(data.buffer, data.byteOffset + Number(offset), Number(length)),
};
const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });
const wanted = fs.readFileSync(expected, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const values = wanted.filter((w) => Object.keys(w.value).length);
const readers = new Map();
let frames = 0, n = 0, compared = 0, all = 0;

function fail(...what) {
  console.error(path, ...what);
  process.exit(1);
}

function* flat(value, prefix = "") {
  for (const [key, item] of Object.entries(value))
    if (typeof item === "object") yield* flat(item, `${prefix}${key}.`);
    else yield [prefix + key, item];
}

for await (const message of reader.readMessages({ validateCrcs: true })) {
  const channel = reader.channelsById.get(message.channelId);
  const schema = reader.schemasById.get(channel.schemaId);
  if (!readers.has(schema.id))
    readers.set(schema.id, new MessageReader(parse(new TextDecoder().decode(schema.data), { ros2: true })));
  const value = readers.get(schema.id).readMessage(message.data);
  all++;
  if (channel.topic === "/armwire/frames") {
    if (Buffer.from(value.bytes).toString("hex") !== wanted[frames++].bytes) fail("frame", frames);
    continue;
  }
  if (channel.topic.startsWith("/armwire/") || channel.topic === "/joint_states") continue;
  const want = values[n++];
  if (!want || want.topic !== channel.topic) fail("message", n, channel.topic, want);
  for (const [name, got] of flat(value)) {
    const other = want.value[name] ?? null;
    if (!(other === null ? Number.isNaN(got) : got === other)) fail("value", n, channel.topic, name, got, other);
    delete want.value[name];
    compared++;
  }
  if (Object.keys(want.value).length) fail("missing", n, want);
}
if (frames !== wanted.length || n !== values.length || BigInt(all) !== reader.statistics.messageCount)
  fail("only", frames, "frames and", n, "messages of", wanted.length, values.length);
console.log(`${all} messages, ${compared} values equal`);
