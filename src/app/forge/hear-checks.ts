import { createHash } from 'node:crypto'
import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { NewRemark } from '../../domain/remark/remark.ts'
import { lastLines } from '../../domain/text.ts'
import type { Change, Check } from '../../ports/forge.ts'
import { statusContext } from '../commands/land/land-as-change.ts'
import { reading } from '../reading.ts'
import { inertWords } from '../text/inert-markdown.ts'
import { readRemarks } from '../views/remarks.ts'
import { createOnce } from './create-once.ts'
import { submit } from './hear-remarks.ts'
import { type OpenChange, pushedFor } from './open-changes.ts'
import { placeOf, type Watching } from './watching.ts'

/**
 * Turns failed checks of our commit into remarks once all checks have ended. After the permitted
 * number of rounds for a change, asks a person instead.
 */
export async function hearChecks(watching: Watching, open: OpenChange, { sha }: Change): Promise<void> {
  const { drydock, forge } = watching
  // A failed check on somebody else's commit is left to its author: Drydock cannot push on top of
  // it.
  if (!(await pushedFor(watching, open.run)).includes(sha)) return
  const checks = (await forge.checks(sha)).filter(({ name }) => name !== statusContext)
  const red = checks.filter(({ state }) => state === 'failure').slice(0, limits.forge.redChecks)
  if (red.length === 0 || checks.some(({ state }) => state === 'pending')) return
  const known = (await reading(drydock, (records) => readRemarks(records, open.run))).map(({ key }) => key)
  const start = `ci/${placeOf(forge)}${open.number}/`
  const rounds = new Set(
    known.filter((key) => key.startsWith(start)).map((key) => key.slice(start.length).split('/')[0]),
  )
  if (!rounds.has(sha) && rounds.size >= limits.forge.checkRounds) return ask(watching, open, red)
  const keyed = red.map((check) => ({ check, key: `${start}${sha}/${shortName(check)}` }))
  const fresh = keyed.filter(({ key }) => !known.includes(key))
  const remarks = await Promise.all(
    fresh.map(async ({ check, key }) => ({ ...(await remarkOf(watching, check)), key })),
  )
  await submit(watching, open, remarks)
}

/** Shortens a check's name, which may be longer than a key. */
function shortName({ name }: Check): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 24)
}

async function remarkOf(
  { forge, drydock }: Watching,
  { name, job, description }: Check,
): Promise<Omit<NewRemark, 'key'>> {
  const log = job === null ? null : await forge.logsOf(job).catch(noLog)
  const end = drydock.redact(lastLines(log ?? '', limits.forge.checkLines)).slice(-limits.forge.checkChars)
  const said = description === '' ? '' : `\n${description}`
  const text = `The check ${name} of the forge is red.${said}\n\n${end === '' ? 'It has no log.' : `The end of its log:\n${end}`}`
  return { author: `CI: ${name}`, source: { kind: 'ci', check: name }, place: null, text }
}

/** Treats a missing log as null: some forges keep no logs, or hide them from the token. */
function noLog(error: unknown): null {
  if (error instanceof DrydockError && ['forge_not_found', 'forge_refused', 'forge_rejected'].includes(error.code))
    return null
  throw error
}

/** Asks people once for each change. */
async function ask({ forge, calls, say }: Watching, { run, number }: OpenChange, red: readonly Check[]): Promise<void> {
  const place = { type: 'change', number } as const
  const names = red.map(({ name }) => inertWords(name)).join(', ')
  const text = `The checks are still red after ${limits.forge.checkRounds} rounds of work: ${names}. What should be done? Somebody who may write here answers with a comment that begins with \`drydock review\`.`
  let asked = false
  await createOnce(forge, calls, {
    key: `askAboutChecks/${placeOf(forge)}${number}`,
    run,
    call: 'askAboutChecks',
    place,
    async send(mark) {
      asked = true
      return forge.comment(place, `${text}\n\n${mark}`)
    },
  })
  if (asked) say({ what: 'question', text: `Asked what to do about the red checks of change ${number}.`, run, number })
}
