import type { WireTurn } from '../test/wire/turn.ts'
import { startWireServer } from '../test/wire/wire-server.ts'
import type { FromServer, ServerRequest, ToServer } from './model-process.ts'
import { now } from './now.ts'

/**
 * A model without latency, in a separate process: plays the given turns, one for each request, and
 * records the requests.
 */
let turns: readonly WireTurn[] = []
let received: ServerRequest[] = []
let withBodies = true

const say = (message: FromServer) => void process.send?.(message)

const server = await startWireServer(({ raw }) => {
  const at = now()
  const turn = turns[received.length]
  received.push({ at, raw: withBodies ? raw : '' })
  if (received.length === 1) say({ first: at })
  if (turn === undefined || turn.fault === 'hang') say({ reached: received.length })
  return turn ?? { fault: 'hang' }
})

process.on('message', (message: ToServer) => {
  if (message === 'take') return say({ taken: received })
  turns = message.play
  withBodies = message.withBodies
  received = []
  say({ playing: true })
})
process.on('disconnect', () => process.exit(0))
say({ origin: server.origin })
