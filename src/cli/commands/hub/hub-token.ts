import { type HubActs, withHubActs } from '../../../app/hub/hub-acts.ts'
import { usage } from '../../../app/usage.ts'
import type { Role } from '../../../domain/hub/role.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { inColumns } from '../../screen/columns.ts'

type ShownToken = Awaited<ReturnType<HubActs['tokens']>>['tokens'][number]

export interface TokenOptions {
  readonly role?: Role
  /** A duration such as `90d`. */
  readonly expires?: string
}

interface Keeping {
  readonly acts: HubActs
  readonly name: string | undefined
  readonly options: TokenOptions
}

const actions = { add, list, revoke } as const

/** Adds, lists or revokes the tokens of a hub, whether the hub is running or not. */
export async function hubToken(
  context: Context,
  [action = '', name, ...more]: readonly string[],
  options: CommonOptions & TokenOptions,
): Promise<number> {
  if (!Object.hasOwn(actions, action) || more.length > 0)
    throw usage('drydock hub token takes add, list or revoke.', 'See: drydock hub --help')
  if (action !== 'add' && (options.role !== undefined || options.expires !== undefined))
    throw usage('Only `hub token add` takes --role and --expires.', 'See: drydock hub --help')
  const drydock = await open(context, options)
  await withHubActs(drydock, (acts) => actions[action as keyof typeof actions](context, { acts, name, options }))
  return 0
}

async function add({ terminal, output }: Context, { acts, name, options }: Keeping): Promise<void> {
  const { role, expires } = options
  if (name === undefined || role === undefined)
    throw usage('A token needs a name and a role.', 'For example: drydock hub token add ada --role operator')
  const { token, expires_at } = await acts.addToken({ name, role, expires })
  // Writes directly to stdout, since the normal output redacts tokens.
  const line = output.json ? JSON.stringify({ type: 'hub_token', name, role, expires_at, token }) : token
  terminal.stdout.write(`${line}\n`)
  output.note(`This is the token of ${name}. It is shown only once; the state has nothing but its hash.`)
}

async function list({ output }: Context, { acts, name }: Keeping): Promise<void> {
  if (name !== undefined) throw usage('`hub token list` takes no name.', 'It lists all: drydock hub token list')
  const { tokens } = await acts.tokens({})
  for (const token of tokens) output.emit({ type: 'hub_token', ...token })
  if (output.json) return
  if (tokens.length === 0) output.say('There are no tokens yet. Add one: drydock hub token add <name> --role operator')
  else
    output.say(
      inColumns(
        output.screen,
        { head: ['NAME', 'ROLE', 'EXPIRES', 'LAST USED'], right: [], painted: 1 },
        tokens.map(rowOf),
      ),
    )
}

function rowOf({ name, role, expires_at, last_used_at, expired, person }: ShownToken) {
  const ends = expires_at === null ? 'never' : `${expired ? 'expired ' : ''}${minute(expires_at)}`
  return {
    cells: [name, person ? `${role} (provider)` : role, ends, last_used_at === null ? 'never' : minute(last_used_at)],
    tone: 'faint' as const,
  }
}

function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

async function revoke({ output }: Context, { acts, name }: Keeping): Promise<void> {
  if (name === undefined) throw usage('Name the token to revoke.', 'See all: drydock hub token list')
  await acts.revokeToken({ name })
  output.emit({ type: 'hub_token_revoked', name })
  if (!output.json) output.say(`${name} is revoked. All sessions and streams of that name end within a second.`)
}
