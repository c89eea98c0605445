import type { Transport } from '../../../http/transport.ts'
import type { ModelGateways } from '../../../ports/model-gateway.ts'
import type { GatewayOptions } from './open-gateway.ts'

/** The gateways of a process, in which a provider has its connections once. */
export function createModelGateways(options: Omit<GatewayOptions, 'transports'>): ModelGateways {
  const transports = new Map<string, Transport>()
  return {
    async open(wanted) {
      // What it needs is loaded only here: most Runs have no foreign agent.
      const { openGateway } = await import('./open-gateway.ts')
      return openGateway(wanted, { ...options, transports })
    },
  }
}
