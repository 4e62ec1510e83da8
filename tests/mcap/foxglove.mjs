// Watches a device with the WebSocket client of the protocol's authors:
//
//     node foxglove.mjs ws://127.0.0.1:8765 COUNT
//
// Decodes at least COUNT messages of each of three topics, then calls the service /stop while another client
// subscribes 4,000 times and reads nothing.
import protocol from "@foxglove/ws-protocol";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import WebSocket from "ws";

const [url, count] = process.argv.slice(2);
const { FoxgloveClient } = protocol;
const client = new FoxgloveClient({ ws: new WebSocket(url, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]) });
const readers = new Map(), counts = new Map();
let service, begun = Date.now(), called;

function fail(...what) {
  console.error(...what);
  process.exit(1);
}

function crowd(then) {
  const socket = new WebSocket(url, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]);
  const other = new FoxgloveClient({ ws: socket });
  other.on("advertise", ([{ id }]) => {
    socket._socket.pause();
    for (let i = 0; i < 4000; i++) other.subscribe(id);
    setTimeout(then, 200);
  });
}

function call() {
  called = Date.now();
  client.sendServiceCallRequest({ serviceId: service.id, callId: 7, encoding: "cdr", data: new DataView(new ArrayBuffer(5)) });
}

setTimeout(() => fail("only", counts), 60000);
client.on("error", (e) => fail("error", e));
client.on("status", (s) => fail("status", s));
client.on("serviceCallFailure", (f) => fail("service", f));
client.on("advertiseServices", (services) => ([service] = services));
client.on("advertise", (channels) => {
  for (const { id, topic, schema } of channels)
    readers.set(client.subscribe(id), { topic, reader: new MessageReader(parse(schema, { ros2: true })) });
});
client.on("message", ({ subscriptionId, data }) => {
  const { topic, reader } = readers.get(subscriptionId);
  reader.readMessage(data);
  counts.set(topic, (counts.get(topic) ?? 0) + 1);
  if (!called && [...counts.values()].filter((n) => n >= count).length >= 3) {
    called = Date.now();
    crowd(call);
  }
});
client.on("serviceCallResponse", ({ callId, data }) => {
  const { success, message } = new MessageReader(parse(service.response.schema, { ros2: true })).readMessage(data);
  if (callId !== 7 || !success) fail("stop", message);
  const all = [...counts.values()].reduce((a, b) => a + b);
  console.log(`${url}: ${counts.size} topics, ${all} messages in ${called - begun} ms; ${service.name} in ${Date.now() - called} ms: ${message}`);
  process.exit(0);
});
