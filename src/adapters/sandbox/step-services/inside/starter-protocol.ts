/** The path inside a sandbox of the files that services need. */
export const inside = '/.drydock/services'
export const channelPath = `${inside}/channel/socket`
/** The parent of the services' own folders. */
export const folders = '/tmp/services'
/** The variable with the services of a session, as JSON. */
export const servicesVariable = 'DRYDOCK_SERVICES'

/** One service, in the form that the sandbox receives. */
export interface ToldService {
  readonly name: string
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly ready: { readonly ports: readonly number[] } | { readonly command: string }
  readonly timeoutMs: number
}

/** The only line that the host sends. */
export interface Setup {
  /** `output` is a pipe for the service's output. */
  readonly services: readonly (ToldService & { readonly output: string })[]
}

/** The lines that the sandbox sends. */
export type StarterMessage =
  /** The pipes are open, so their names can be removed. */
  | { readonly is: 'open' }
  | { readonly is: 'ready'; readonly name: string; readonly ms: number }
  /** The service did not become ready, so the command does not run. */
  | { readonly is: 'failed'; readonly name: string; readonly why: string }
  /** All services are ready, so the command runs. */
  | { readonly is: 'begun' }
  | { readonly is: 'ended'; readonly name: string; readonly exitCode: number }
