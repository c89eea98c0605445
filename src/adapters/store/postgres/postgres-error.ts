import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { sentence } from '../../../domain/sentence.ts'

/**
 * True if the query may be repeated: the server is unreachable, or has undone the transaction
 * because of another one or an administrator. A commit whose answer was lost may have happened
 * nevertheless.
 */
export function isPassing(error: unknown): boolean {
  return (
    isConnectionLost(error) ||
    isStalePlan(error) ||
    (error instanceof Error && 'code' in error && passing.test(String(error.code)))
  )
}

/**
 * True if a table has got another column since its connection planned the statement. The server
 * plans it again only on a new connection.
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'
}

/**
 * Transactions that were rolled back, statements that were cancelled, too many connections, and
 * lock timeouts.
 */
const passing = /^(?:40...|57014|53300|55P03)$/

/** True if the connection ended or was never made. The state of its transaction is then unknown. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (error instanceof AggregateError) return error.errors.some(isConnectionLost)
  return lostCodes.test(code) || lostMessages.test(error.message)
}

/** True if the server itself ended the session, so its address is right. */
export function isSessionEnded(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^57P0[12]$/.test(String(error.code))
}

/** The server's codes for connection errors, shutdown, crash, startup and session timeouts. */
const lostCodes =
  /^(?:08(?!P01)...|57P0[1235]|25P03|25P04|ECONN\w+|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/
const lostMessages =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded when trying to connect)/

const configured = 'DRYDOCK_DATABASE_URL, or "state": { "postgres": … } in your own file,'

/**
 * The error to show for an error of PostgreSQL at `shown`: DrydockError `database_unreachable`,
 * `database_unusable` or `disk_full`, or the error itself. The server's messages never contain the
 * password.
 */
export function explained(error: unknown, shown: string): unknown {
  if (error instanceof DrydockError || !(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  const why = whyOf(error)
  const refusal = refusals.find(({ codes, words }) => codes.test(code) && (words?.test(error.message) ?? true))
  if (refusal !== undefined) {
    const { is, message, todo } = refusal
    return new DrydockError(is ?? 'database_unusable', sentence`${message(shown)} PostgreSQL says: ${why}.`, {
      todo,
      cause: error,
    })
  }
  if (!isConnectionLost(error)) return error
  return unreachable(error, shown)
}

/** Also used for connection failures that have no entry here, such as a bad certificate. */
export function unreachable(error: unknown, shown: string): DrydockError {
  return new DrydockError(
    'database_unreachable',
    sentence`PostgreSQL at ${shown} cannot be reached: ${whyOf(error)}.`,
    {
      todo: 'Start the server, or correct its address. Nothing is lost: drydock resume continues a run. See also: drydock doctor',
      cause: error,
    },
  )
}

function whyOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return whyOf(error.errors[0])
  const text =
    error instanceof Error ? error.message || ('code' in error ? String(error.code) : error.name) : String(error)
  return text.replace(/\.+$/, '')
}

interface Refusal {
  readonly codes: RegExp
  readonly words?: RegExp
  readonly is?: 'database_unreachable' | 'disk_full'
  readonly message: (shown: string) => string
  readonly todo: string
}

const refusals: readonly Refusal[] = [
  {
    codes: /^28/,
    message: (shown) => `PostgreSQL at ${shown} refuses the user or the password.`,
    todo: `Correct ${configured} or what pg_hba.conf of the server allows.`,
  },
  {
    codes: /^3D000$/,
    message: (shown) => `The database of ${shown} does not exist.`,
    todo: `Create it with: createdb; or correct ${configured.replace(/,$/, '')}.`,
  },
  {
    codes: /^42501$/,
    message: (shown) => `The user of ${shown} lacks a right.`,
    todo: 'Let an administrator run: GRANT CREATE ON DATABASE <database> TO <user>; each state is a schema of its own that the user must own. For the user of a worker, run on the hub: drydock hub worker-role <user>',
  },
  {
    codes: /^25006$/,
    message: (shown) => `${shown} can only be read.`,
    todo: 'Name the primary server, not a standby, and a user without default_transaction_read_only.',
  },
  {
    codes: /^(?:08P01)?$/,
    words: /unsupported startup parameter/,
    message: (shown) => `A pooler answers at ${shown}, and Drydock needs sessions of its own.`,
    todo: 'Name the server itself, not PgBouncer or another pooler in front of it.',
  },
  {
    codes: /^53300$/,
    is: 'database_unreachable',
    message: (shown) => `PostgreSQL at ${shown} takes no more connections.`,
    todo: `Raise max_connections: each process of Drydock takes up to ${limits.database.readers + 1}.`,
  },
  {
    codes: /^53100$/,
    is: 'disk_full',
    message: (shown) => `The server at ${shown} has no space left. This step wrote nothing.`,
    todo: 'Free some space there. To continue a run that had begun: drydock resume',
  },
  {
    codes: /^55P03$/,
    is: 'database_unreachable',
    message: (shown) => `Another process has kept the state on ${shown} locked for too long.`,
    todo: 'End the process that holds the lock (pg_locks shows it). Then run the same command again, or: drydock resume',
  },
]
