import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { createSystemClock } from '../../../../src/adapters/clock/system-clock.ts'
import { createEmbeddedEngine } from '../../../../src/adapters/engine/embedded-engine.ts'
import type { Timeouts } from '../../../../src/adapters/models/exchange.ts'
import { createGates } from '../../../../src/adapters/models/gate.ts'
import type { Bounds } from '../../../../src/adapters/models/gateway/bounds.ts'
import { createModelGateways } from '../../../../src/adapters/models/gateway/create-gateways.ts'
import { createPrices, type Price } from '../../../../src/adapters/prices/price-list.ts'
import { createSqliteStore } from '../../../../src/adapters/store/sqlite-store.ts'
import type { Budget } from '../../../../src/domain/run/budget.ts'
import type { RunData } from '../../../../src/domain/run/run.ts'
import { createRedactor } from '../../../../src/domain/secrets/redact.ts'
import { openCallAccount } from '../../../../src/workflow/lane/call-account.ts'
import { laneOf } from '../../../agents/asking.ts'
import { wireIds, wireKey, wireSettings } from '../../../wire/wire-models.ts'
import { type Script, startWireServer } from '../../../wire/wire-server.ts'

const run = 'run'
const enough: Budget = { runUsd: 100, storyUsd: 100, runTokens: 10_000_000 }
/** One dollar for a million input tokens, ten for output. */
const price: Price = { input: 1, output: 10, cache_read: 0.1, cache_write: 2 }

/** A text that must not reach any model. */
export const secret = 'hunter2-hunter2-hunter2'

interface GatewayOptions {
  /**
   * Provider of the wire server: `anthropic`, `openai`, `wire` (compatible), `google`, `ollama`.
   */
  readonly provider: string
  readonly budget?: Budget
  readonly prices?: Readonly<Record<string, Price>>
  /** Budget in dollars that was given for the Run. */
  readonly budgetUsd?: number
  readonly timeouts?: Partial<Timeouts>
  readonly bounds?: Partial<Bounds>
}

/** A gateway to a wire server, paid by a lane of a real store. */
export async function gatewayWorld(
  script: Script,
  { provider, budget = enough, prices, budgetUsd, timeouts = {}, bounds = {} }: GatewayOptions,
) {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const wire = await startWireServer(script)
  onTestFinished(() => wire.close())
  const clock = createSystemClock()
  const store = await createSqliteStore({ file: join(folder, 'state.db'), clock })
  onTestFinished(() => store.close())
  const engine = createEmbeddedEngine({ store, clock, onFailure: () => undefined })
  const known = Object.fromEntries(Object.values(wireIds).map((id) => [id, price]))
  const deps = { engine, store, clock, prices: createPrices(prices ?? known) }
  const lane = await engine.transact(async (tx) => {
    const data = { budget, budgetUsd: budgetUsd ?? null, config: null } as unknown as RunData
    await tx.create({ id: run, kind: 'run', run, story: null, data }, 'rest')
    const { data: laneData } = laneOf({ key: 'editor/task/CODING', role: 'editor_coding' })
    const id = `${run}/editor/task/CODING`
    return tx.create({ id, kind: 'lane', run, story: 'task', data: laneData }, 'rest')
  })
  const account = await openCallAccount(deps, { lane, provider })
  const gates = createGates(clock, { failures: 3, firstPauseMs: 60_000, longestPauseMs: 60_000 })
  const gateways = createModelGateways({
    ...wireSettings(wire.origin),
    gates,
    timeouts,
    bounds,
    clock,
    redact: createRedactor([wireKey, secret]),
  })
  const gateway = await gateways.open({ run: 'run-1', provider, folder: join(folder, 'inside'), account })
  // Closing twice is allowed, since a test may have closed the gateway.
  onTestFinished(() => gateway.close())
  return {
    wire,
    deps,
    lane,
    account,
    gateway,
    gates,
    ask: (asked: GatewayRequest) => askOver(gateway.socket, asked),
    rows: () => store.modelCalls(run, lane.id),
    spent: () => store.spent(run, 'task'),
  }
}

export interface GatewayRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: object | string | Buffer
  readonly signal?: AbortSignal
}

export interface GatewayAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: the body of any provider's answer; tests look where they want.
  readonly json: any
}

/** Asks as an agent that reaches only the socket. Rejects if the answer breaks off. */
export function askOver(socketPath: string, { method = 'POST', path, headers = {}, body, signal }: GatewayRequest) {
  const text = typeof body === 'object' && !Buffer.isBuffer(body) ? JSON.stringify(body) : body
  return new Promise<GatewayAnswer>((resolve, reject) => {
    const all = { 'content-type': 'application/json', authorization: 'Bearer of-the-agent', ...headers }
    const options = { socketPath, method, path, headers: all, agent: false, ...(signal && { signal }) }
    const sent = request(options, (response) => {
      buffer(response).then(
        (bytes) => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes, json: parsed(bytes) }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}
