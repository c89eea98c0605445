import type { Transport } from '../../../http/transport.ts'
import type { ModelGateways } from '../../../ports/model-gateway.ts'
import type { GatewayOptions } from './open-gateway.ts'

/** The gateways of a process, which share the connections to a provider. */
export function createModelGateways(options: Omit<GatewayOptions, 'transports'>): ModelGateways {
  const transports = new Map<string, Transport>()
  return {
    async open(wanted) {
      // Loaded here, since most Runs have no foreign agent.
      const { openGateway } = await import('./open-gateway.ts')
      return openGateway(wanted, { ...options, transports })
    },
  }
}
