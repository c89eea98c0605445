import { RequestError } from '@agentclientprotocol/sdk'
import { withDiskFull } from '../../domain/disk-full.ts'
import { DrydockError, type ErrorCode } from '../../domain/drydock-error.ts'

/** Errors that affect every session until the user changes the setup. */
const setUp: readonly ErrorCode[] = ['no_model', 'no_key', 'bad_model']

interface Telling {
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
  /** Receives the messages of bugs. */
  readonly onError: (message: string) => void
}

/**
 * Converts a failure to a JSON-RPC error that says what happened and what to do. A bug becomes an
 * internal error, and is reported to `onError`.
 */
export function rpcError(thrown: unknown, { redact, onError }: Telling): RequestError {
  const error = withDiskFull(thrown)
  if (error instanceof RequestError) return new RequestError(error.code, redact(error.message), error.data)
  if (error instanceof DrydockError) {
    const { code: name, message, todo } = error
    const code = setUp.includes(name) ? -32_000 : name === 'not_found' ? -32_002 : name === 'bug' ? -32_603 : -32_602
    return new RequestError(code, redact(`${message} ${todo}`), { code: name, todo: redact(todo) })
  }
  onError(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return new RequestError(-32_603, 'Drydock itself failed. See its standard error.')
}

/** The error for a request that this agent does not support. */
export function invalid(message: string): RequestError {
  return new RequestError(-32_602, message)
}

export function unknownSession(id: string): RequestError {
  return new RequestError(-32_002, `There is no session ${id}. List the sessions with session/list.`)
}
