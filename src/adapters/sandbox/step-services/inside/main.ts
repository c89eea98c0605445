/**
 * Runs inside a sandbox and starts the services there. Its folder is bound into the sandbox, so it
 * imports only Node's modules and what lies beside it.
 * - `beside <pid>`, in the sandbox of a verification step: the services get the environment of that
 *   process, and the host hears of them. Says `ready` on standard output, which it closes then.
 * - `around <program> [argument…]`, in a session: runs the program when they are ready.
 */

import { runWithServices } from './session-services.ts'
import { startVerificationServices } from './verification-services.ts'

const [mode, ...rest] = process.argv.slice(2)
if (mode === 'beside') startVerificationServices(rest[0] ?? '')
else await runWithServices(rest)
