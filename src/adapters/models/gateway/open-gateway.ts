import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../../../domain/limits.ts'
import type { Redact } from '../../../domain/secrets/redact.ts'
import { createTransport, type Transport } from '../../../http/transport.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GatewayNeed, ModelGateway } from '../../../ports/model-gateway.ts'
import { type Environment, type Providers, resolveEndpoint } from '../endpoint.ts'
import type { Timeouts } from '../exchange.ts'
import type { Gates } from '../gate.ts'
import { timeoutsOf } from '../timeouts-of.ts'
import type { Bounds } from './bounds.ts'
import { createHandler } from './handle-request.ts'
import { listen } from './listen.ts'

export interface GatewayOptions {
  readonly providers: Providers
  /** The variables with the keys and base URLs. */
  readonly env: Environment
  /** Shared with the models of the process. */
  readonly gates: Gates
  readonly timeouts: Partial<Timeouts>
  readonly clock: Clock
  readonly redact: Redact
  /** The transports by provider. */
  readonly transports: Map<string, Transport>
  /** Only tests set this. */
  readonly bounds?: Partial<Bounds>
}

/** Throws DrydockError `bad_model` or `no_key`. */
export async function openGateway(
  { run, provider, folder, account }: GatewayNeed,
  { providers, env, gates, timeouts, clock, redact, transports, ...own }: GatewayOptions,
): Promise<ModelGateway> {
  const resolve = (model: string) => resolveEndpoint(provider, model, { providers, env })
  const endpoint = resolve('')
  const transport = transports.get(provider) ?? createTransport(endpoint.proxy)
  transports.set(provider, transport)
  const bounds: Bounds = { ...limits.gateway, ...own.bounds }
  const handle = createHandler({
    run,
    kind: endpoint.kind,
    resolve,
    account,
    transport,
    clock,
    redact,
    bounds,
    gate: gates.of(endpoint),
    timeouts: timeoutsOf(endpoint, timeouts),
  })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const socket = join(folder, 'model.sock')
  await rm(socket, { force: true })
  return listen(socket, handle, bounds)
}
