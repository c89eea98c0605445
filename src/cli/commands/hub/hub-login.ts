import type { Sought } from '../../../app/commands/text-file.ts'
import { signIn, signOut } from '../../../app/hub/sign-in.ts'
import { usage } from '../../../app/usage.ts'
import { hubClients } from '../../../compose.ts'
import type { Context } from '../../context.ts'
import { askSecret, keyboardOf } from '../../screen/ask-line.ts'
import { readPiped } from '../start/text-intake.ts'

const sought: Sought = {
  what: 'token',
  name: 'Pipe it in: drydock hub login <url> < file   or start it in a terminal, which asks for it',
  say: 'An admin of the hub gives you one.',
  shorten: 'A token is one short line.',
}

/** Stores the token of a hub, which a person types or standard input contains. */
export async function hubLogin(context: Context, [url, ...more]: readonly string[]): Promise<number> {
  const { terminal, output } = context
  if (url === undefined || more.length > 0)
    throw usage(
      '`hub login` takes the address of a hub.',
      'For example: drydock hub login https://hub.example.com:4517',
    )
  const keyboard = keyboardOf(terminal)
  const token =
    keyboard === null
      ? await readPiped(context, sought, { unasked: true })
      : await askSecret(terminal, { keyboard, prompt: `Token for ${url}: ` })
  if (token === null) return 130
  const signed = await signIn(await hubClients(terminal.env), { url, token: token.trim(), env: terminal.env })
  const { name, role, repository, file, key } = signed
  output.emit({ type: 'hub_login', ...signed })
  if (output.json) return 0
  output.say(`Signed in to ${signed.url} as ${name} (${role}). The hub keeps ${repository}.`)
  output.note(`The token is in ${file}, which only you can read.`)
  output.note(
    key === null
      ? `The hub has no key for receipts yet. After its first merge, sign in once more to get it: drydock hub login ${signed.url}`
      : `To trust the receipts of the hub, add to receipts.trusted_keys: ${key}`,
  )
  output.note(`Work there:  drydock run spec.md --hub ${signed.url}`)
  return 0
}

/** Removes the stored token of a hub. */
export async function hubLogout({ terminal, output }: Context, [url, ...more]: readonly string[]): Promise<number> {
  if (url === undefined || more.length > 0)
    throw usage(
      '`hub logout` takes the address of a hub.',
      'For example: drydock hub logout https://hub.example.com:4517',
    )
  const file = await signOut(url, terminal.env)
  output.emit({ type: 'hub_logout', url, file })
  if (!output.json) output.say(`The token is no longer in ${file}. Only an admin of the hub can revoke it.`)
  return 0
}
