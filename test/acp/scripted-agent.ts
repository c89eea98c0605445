import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import type { AgentScript } from './agent-script.ts'
import { playAgent } from './play-agent.ts'
import { processHands } from './process-hands.ts'

/** An ACP agent that follows the JSON script in its first argument. */
const script = JSON.parse(process.argv[2] ?? '{"turns":[]}') as AgentScript

if (script.ignoresEnd) {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
  setInterval(() => undefined, 60_000)
}

playAgent(script, {
  stream: ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
  home: process.env.HOME ?? '/',
  hands: processHands,
})
