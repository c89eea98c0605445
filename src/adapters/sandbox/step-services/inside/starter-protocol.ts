/** Where a sandbox shows what the services need. */
export const inside = '/.drydock/services'
export const channelPath = `${inside}/channel/socket`
/** Where each service has a folder of its own. */
export const folders = '/tmp/services'
/** Holds the services of a session, as JSON. */
export const servicesVariable = 'DRYDOCK_SERVICES'

/** One service, as the sandbox is told of it. */
export interface ToldService {
  readonly name: string
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  readonly ready: { readonly ports: readonly number[] } | { readonly command: string }
  readonly timeoutMs: number
}

/** The only line that the host sends. */
export interface Setup {
  /** `output` is a pipe for what it prints. */
  readonly services: readonly (ToldService & { readonly output: string })[]
}

/** What the sandbox says, a line each. */
export type Said =
  /** The pipes are open: nobody has to find them any more. */
  | { readonly is: 'open' }
  | { readonly is: 'ready'; readonly name: string; readonly ms: number }
  /** It did not come up: the command is not run. */
  | { readonly is: 'failed'; readonly name: string; readonly why: string }
  /** All are ready: the command is run. */
  | { readonly is: 'begun' }
  | { readonly is: 'ended'; readonly name: string; readonly exitCode: number }
