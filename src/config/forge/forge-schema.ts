import { z } from 'zod'
import { forgeKinds, knownForges } from '../../domain/forge/known-forges.ts'
import { watchLabel, watchLabelIs } from '../../domain/forge/watch-label.ts'
import { limits } from '../../domain/limits.ts'

/** `forges` of the user's file: the forges that changes are opened on, and their credentials. */

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be the name of an environment variable' })

const address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !URL.canParse(url) || new URL(url).username + new URL(url).password === '', {
    error: 'must hold no user and no password',
  })

const app = z
  .strictObject({
    id: z.int().min(1).describe('Id of the GitHub App.'),
    private_key: z
      .string()
      .regex(/^(\/|~\/)/, { error: 'must be absolute or start with "~/"' })
      .describe('File with the private key of the App (PEM).'),
    installation_id: z.int().min(1).exactOptional().describe('Default: the installation of the repository.'),
  })
  .describe('A GitHub App, in place of a token.')

const webhook = z
  .strictObject({
    port: z.int().min(1).max(65_535).describe('Port on 127.0.0.1.'),
    secret_env: variable.describe('The environment variable with the secret that the forge signs with.'),
  })
  .describe('Signed webhooks of the forge make Drydock look at once.')

const watch = z
  .strictObject({
    label: z
      .string()
      .regex(watchLabel, { error: `must be ${watchLabelIs}` })
      .default(limits.forge.label)
      .describe('Open issues with it become tasks, and those with "<label>:run" runs of the crew.'),
    interval_sec: z.int().min(5).max(86_400).default(limits.forge.intervalSec).describe('Seconds between two polls.'),
    webhook: webhook.exactOptional(),
  })
  .describe('`drydock serve` watches this forge, as `drydock forge watch` does.')

const forge = z
  .strictObject({
    kind: z.enum(forgeKinds).exactOptional().describe('Left out only for a forge that Drydock knows.'),
    url: address.exactOptional().describe('Where people see it. Left out only for a forge that Drydock knows.'),
    token_env: variable.exactOptional().describe('The environment variable with the token.'),
    app: app.exactOptional(),
    reviewers: z
      .array(z.string().regex(/^[A-Za-z0-9_.-]+$/, { error: 'must be the name of an account' }))
      .max(20)
      .default([])
      .describe('Accounts that are asked to review each change.'),
    watch: watch.exactOptional(),
  })
  .refine(({ token_env, app: given }) => token_env === undefined || given === undefined, {
    path: ['app'],
    error: 'only one of token_env and app can be given',
  })

const forgeName = z.string().regex(/^[A-Za-z0-9._-]+$/, { error: 'may hold only letters, digits, ".", "_" and "-"' })

/** An entry with the name of a known forge extends it, and cannot redirect anything. */
export const forgesSchema = z.record(forgeName, forge).superRefine((forges, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  for (const [name, { kind, url, app: given }] of Object.entries(forges)) {
    const known = Object.hasOwn(knownForges, name) ? knownForges[name] : undefined
    if (known !== undefined && (kind ?? url) !== undefined)
      refuse([name], 'is the name of a built-in forge: it takes no kind and no url')
    if (known === undefined && kind === undefined) refuse([name, 'kind'], 'is missing')
    if (known === undefined && url === undefined) refuse([name, 'url'], 'is missing')
    if (given !== undefined && (kind ?? known?.kind) !== 'github') refuse([name, 'app'], 'is for GitHub only')
  }
})
