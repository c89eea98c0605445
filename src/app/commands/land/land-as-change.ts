import { DrydockError } from '../../../domain/drydock-error.ts'
import type { Json } from '../../../domain/json.ts'
import { limits } from '../../../domain/limits.ts'
import type { Change, Forge } from '../../../ports/forge.ts'
import type { PushTarget } from '../../../ports/remotes.ts'
import type { ForgeCalls } from '../../../ports/store.ts'
import type { Installation } from '../../installation.ts'
import type { StateAccess } from '../../state-access.ts'
import { changeText, changeTitle, withReport } from '../../views/report/change-text.ts'
import type { Landable } from './landable.ts'

export interface ChangeOptions {
  /** A remote of the user's repository. */
  readonly remote: string
  /**
   * The branch that is to receive the work. Null for the branch of `--target`, or else the forge's
   * default branch.
   */
  readonly base: string | null
  /** Name of the forge; null for the forge that the remote's URL names. */
  readonly forge: string | null
  /** Reviewers to ask in addition to the configured ones. */
  readonly reviewers: readonly string[]
  readonly draft: boolean
}

/** An open change that contains the verified commit. */
export interface LandedChange {
  readonly change: Change
  readonly forge: string
  readonly opened: boolean
  /** The reason why reviewers could not be asked; null if they were. The change itself is open. */
  readonly reviewProblem: DrydockError | null
}

/** The name of the status on the verified commit. */
export const statusContext = 'drydock/verified'

interface Landing {
  readonly drydock: Pick<Installation, 'userRepository' | 'remotes' | 'redact'>
  readonly landable: Landable
  readonly wanted: ChangeOptions
  readonly forge: Forge
  readonly calls: ForgeCalls
  readonly target: PushTarget
}

/**
 * Pushes a Run's branch with its receipts and opens a change for it, or updates the open one. Each
 * call to the forge is recorded as it starts and ends. After a crash, an unfinished call is looked
 * up at the forge first, so that it is not made twice.
 */
export async function landAsChange(
  drydock: Pick<Installation, 'user' | 'userRepository' | 'remotes' | 'redact' | 'openForge'> &
    Pick<StateAccess, 'openForgeCalls'>,
  landable: Landable,
  wanted: ChangeOptions,
): Promise<LandedChange> {
  const url = await drydock.remotes.url(wanted.remote)
  const forge = await drydock.openForge(url, wanted.forge)
  // Asks the forge first, so that an invalid token fails while nothing has changed.
  const before = await forge.findChange(landable.branch)
  if (before !== null && before.state !== 'open') throw closed(before)
  const target = await targetOf(forge, url)
  const calls = await drydock.openForgeCalls()
  try {
    const landing: Landing = { drydock, landable, wanted, forge, calls, target }
    await push(landing)
    const change = before === null ? await open(landing) : await update(landing, before)
    await noteOpen(landing, change)
    await setStatus(landing)
    const configured = drydock.user.forges[forge.name]?.reviewers ?? []
    const accounts = [...new Set([...configured, ...wanted.reviewers])]
    const reviewProblem = await requestReview(landing, change, accounts)
    return { change, forge: forge.name, opened: before === null, reviewProblem }
  } finally {
    await calls.close()
  }
}

/**
 * Adds the token to the push, only for the forge's own server and only over HTTP. The token
 * replaces a user and password in the URL.
 */
async function targetOf(forge: Forge, url: string): Promise<PushTarget> {
  const parsed = /^https?:/i.test(url) ? URL.parse(url) : null
  if (parsed === null) return { url, credentials: null }
  const credentials = await forge.pushCredentials()
  if (parsed.origin !== credentials.origin) return { url, credentials: null }
  parsed.username = ''
  parsed.password = ''
  return { url: parsed.href, credentials }
}

async function push({ drydock, landable, calls, target, forge }: Landing): Promise<void> {
  const { run, branch, sha, commits } = landable
  const place = `${forge.name}/${forge.project}/${branch}`
  const earlier = (await calls.forgeCalls(run.id)).filter(
    ({ call, key }) => call === 'push' && key.startsWith(`push/${place}/`),
  )
  const key = `push/${place}/${sha}`
  await calls.startForgeCall({ key, run: run.id, call: 'push', request: { branch, sha } })
  const pushed = earlier.map(({ request }) => shaOf(request))
  await drydock.remotes.push(target, { branch, sha, pushed })
  await drydock.remotes.pushReceipts(target, commits)
  await calls.finishForgeCall(key, { sha })
}

async function open(landing: Landing): Promise<Change> {
  const { drydock, landable, wanted, forge, calls, target } = landing
  const { run, branch: head } = landable
  const base = wanted.base ?? (await baseOf(landing)) ?? (await drydock.remotes.defaultBranch(target)) ?? 'main'
  const text = drydock.redact(changeText(landable))
  const title = drydock.redact(changeTitle(run))
  await calls.startForgeCall({ key: openKey(landing), run: run.id, call: 'openChange', request: { head, base } })
  return openOnce(forge, { head, base, title, text, draft: wanted.draft })
}

/**
 * Records an open change, even one that a killed process or a person has opened: it is watched from
 * now on.
 */
async function noteOpen(landing: Landing, { head, base, number, url }: Change): Promise<void> {
  const { landable, calls } = landing
  const key = openKey(landing)
  await calls.startForgeCall({ key, run: landable.run.id, call: 'openChange', request: { head, base } })
  await calls.finishForgeCall(key, { number, url })
}

function openKey({ forge, landable }: Landing): string {
  return `openChange/${forge.name}/${forge.project}/${landable.branch}`
}

/**
 * Opens a change. If an answer leaves open whether the change exists, looks for it at the forge
 * first.
 */
async function openOnce(forge: Forge, wanted: Parameters<Forge['openChange']>[0]): Promise<Change> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await forge.openChange(wanted)
    } catch (error) {
      if (!(error instanceof DrydockError) || !['forge_unreachable', 'forge_rejected'].includes(error.code)) throw error
      const made = await forge.findChange(wanted.head)
      if (made?.state === 'open') return made
      if (error.code === 'forge_rejected' || tries > limits.forge.retryMs.length) throw error
    }
  }
}

async function update({ drydock, landable, forge, calls }: Landing, before: Change): Promise<Change> {
  const { run, sha } = landable
  const text = withReport(before.text, drydock.redact(changeText(landable)))
  if (text === before.text) return { ...before, sha }
  const key = `updateChange/${forge.name}/${forge.project}/${before.number}/${sha}`
  await calls.startForgeCall({ key, run: run.id, call: 'updateChange', request: { number: before.number, sha } })
  const change = await forge.updateChange(before.number, text)
  await calls.finishForgeCall(key, { number: before.number })
  return change
}

/**
 * Sets the status of exactly the verified commit, with the digest of its receipt. An existing
 * status stays.
 */
async function setStatus({ landable, forge, calls }: Landing): Promise<void> {
  const { run, sha, digest } = landable
  const description = `Verified by Drydock. Receipt sha256:${digest}`
  const there = (await forge.checks(sha)).find(({ name }) => name === statusContext)
  const key = `setStatus/${forge.name}/${forge.project}/${sha}/${digest}`
  await calls.startForgeCall({ key, run: run.id, call: 'setStatus', request: { sha, context: statusContext } })
  if (there?.state !== 'success' || there.description !== description)
    await forge.setStatus(sha, { context: statusContext, state: 'success', description })
  await calls.finishForgeCall(key, { sha })
}

/** Asks each reviewer once; a person who has reviewed already is not asked again. */
async function requestReview(
  { landable: { run }, forge, calls }: Landing,
  { number }: Change,
  accounts: readonly string[],
): Promise<DrydockError | null> {
  const known = await calls.forgeCalls(run.id)
  const keyOf = (account: string) => `requestReview/${forge.name}/${forge.project}/${number}/${account}`
  const isAsked = (account: string) =>
    known.some(({ key, finishedAt }) => key === keyOf(account) && finishedAt !== null)
  const missing = accounts.filter((account) => !isAsked(account))
  if (missing.length === 0) return null
  for (const account of missing)
    await calls.startForgeCall({
      key: keyOf(account),
      run: run.id,
      call: 'requestReview',
      request: { number, account },
    })
  try {
    await forge.requestReview(number, missing)
  } catch (error) {
    if (error instanceof DrydockError && error.code === 'forge_rejected') return unknownReviewers(error, missing)
    throw error
  }
  for (const account of missing) await calls.finishForgeCall(keyOf(account), { number })
  return null
}

/** The branch that the Run started from, if its user named one. */
async function baseOf({ drydock, landable }: Landing): Promise<string | null> {
  const { target } = landable.run.data
  const branches = target === null ? [] : await drydock.userRepository.branches(target)
  return branches.find((branch) => branch === target) ?? null
}

function shaOf(request: Json): string {
  return String((request as { readonly sha?: unknown } | null)?.sha)
}

function closed({ number, url, state, head }: Change): DrydockError {
  return new DrydockError('change_closed', `The change ${number} of the branch ${head} is ${state}: ${url}`, {
    todo:
      state === 'merged'
        ? 'Its work has landed. Start a new run for more.'
        : 'Nothing was pushed. Reopen it at the forge and run the same command again, or land without a forge: --onto BRANCH',
  })
}

function unknownReviewers({ message }: DrydockError, accounts: readonly string[]): DrydockError {
  return new DrydockError('forge_rejected', `Nobody was asked for a review (${accounts.join(', ')}). ${message}`, {
    todo: 'The change is open. Name accounts that may review there, then run the same command again.',
  })
}
