/**
 * Runs inside a sandbox and starts the services there. Its folder is bound into the sandbox, so it
 * imports only Node's modules and the files beside it.
 * - `beside <pid>`, in the sandbox of a verification step: the services get the environment of that
 *   process, and the host receives their states. Prints `ready` on standard output, which it then
 *   closes.
 * - `around <program> [argument…]`, in a session: runs the program once they are ready.
 */

import { runWithServices } from './session-services.ts'
import { startVerificationServices } from './verification-services.ts'

const [mode, ...rest] = process.argv.slice(2)
if (mode === 'beside') startVerificationServices(rest[0] ?? '')
else await runWithServices(rest)
