import { readFile } from 'node:fs/promises'
import { codersOf } from '../../../app/commands/check-config.ts'
import { parseListen } from '../../../app/commands/hub/parse-listen.ts'
import { usage } from '../../../app/usage.ts'
import { createStanding } from '../../../app/wait/standing.ts'
import { serveHub } from '../../../compose.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { workUntilStopped } from '../work-until-stopped.ts'
import { hubLogin, hubLogout } from './hub-login.ts'
import { hubToken, type TokenOptions } from './hub-token.ts'
import { hubWorkerRole, type WorkerRoleOptions } from './hub-worker-role.ts'
import { type DrainOptions, hubDrain, hubWorkers } from './hub-workers.ts'

interface HubOptions extends TokenOptions, DrainOptions, WorkerRoleOptions {
  readonly listen?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly behindProxy?: string
  /** False with `--no-own`. */
  readonly own?: boolean
  readonly coders?: number
}

/** Serves the dashboard and the API to a team and does all work, or manages the hub's tokens. */
export async function hub(
  context: Context,
  [what, ...rest]: readonly string[],
  options: CommonOptions & HubOptions,
): Promise<number> {
  if (what === 'workers' && rest.length === 0) return hubWorkers(context, options)
  if (what === 'drain') return hubDrain(context, rest, options)
  if (options.all === true || options.wait === false)
    throw usage('--all and --no-wait belong to `hub drain`.', 'See: drydock hub --help')
  if (what === 'worker-role') return hubWorkerRole(context, rest, options)
  if (options.sql === true || options.newPassword === true)
    throw usage('--sql and --new-password belong to `hub worker-role`.', 'See: drydock hub --help')
  if (what === 'token') return hubToken(context, rest, options)
  if (what === 'login') return hubLogin(context, rest)
  if (what === 'logout') return hubLogout(context, rest)
  if (what !== undefined) throw usage(`drydock hub knows no ${what}.`, 'See: drydock hub --help')
  if (options.role !== undefined || options.expires !== undefined)
    throw usage('--role and --expires belong to a token.', 'For example: drydock hub token add ada --role operator')
  if (options.hub)
    throw usage('A hub does not serve the runs of another.', '--hub belongs to hub token, hub workers and hub drain.')
  const { output } = context
  const door = await doorOf(options)
  const drydock = await open(context, { ...options, hub: false })
  const coders = options.coders ?? (await codersOf(drydock, options))
  if (coders === 0 && (await drydock.checkDatabase()) === null)
    throw usage('A hub without coders needs workers, and none can reach its state in a file.', toPostgres)
  const onError = (error: unknown) => output.note(`drydock: ${error instanceof Error ? error.stack : error}`)
  const standing = createStanding(drydock, output.note)
  const { standby } = standing
  const serving = await serveHub(drydock, { door, options, standby, onAudit: output.note, onError })
  try {
    output.emit({ type: 'serving', url: serving.url })
    if (!output.json) output.say(serving.url)
    output.note('People sign in there with a token: drydock hub token add <name> --role operator. Ctrl-C ends the hub.')
    await workUntilStopped(context, drydock, {
      coders,
      options,
      shared: true,
      hub: { url: serving.url, onStanding: standing.became },
    })
    return 130
  } finally {
    await serving.close()
  }
}

const toPostgres = 'Set DRYDOCK_DATABASE_URL, or leave --coders out.'

async function doorOf({ listen = '127.0.0.1:4517', tlsCert, tlsKey, behindProxy }: HubOptions) {
  const place = parseListen(listen)
  if (place === null) throw usage(`${JSON.stringify(listen)} is not HOST:PORT.`, 'For example: --listen 0.0.0.0:4517')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw usage('--tls-cert and --tls-key belong together.', 'Give both files, in PEM.')
  const tls =
    tlsCert === undefined || tlsKey === undefined ? null : { cert: await pem(tlsCert), key: await pem(tlsKey) }
  if (tls !== null && behindProxy !== undefined)
    throw usage('TLS files and --behind-proxy cannot be used together.', 'Use one of them.')
  return { ...place, tls, proxyOrigin: behindProxy ?? null }
}

async function pem(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw usage(`${file} cannot be read: ${error.message}`, 'Name a file in PEM that this user can read.')
  })
}
