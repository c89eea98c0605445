import { resolve } from 'node:path'
import { usage } from '../../app/usage.ts'
import { openReceipts } from '../../compose.ts'
import { DrydockError } from '../../domain/drydock-error.ts'
import type { CheckedReceipt, ReceiptFault } from '../../domain/verification/receipt.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { CommonOptions, Context } from '../context.ts'
import { describeReceipt, oneLine } from '../screen/describe-receipt.ts'

type Options = CommonOptions & { readonly key?: string }

/**
 * The receipt of a commit, read or proven from the note alone; or the key that this installation
 * signs with.
 */
export async function receipt(
  context: Context,
  [action = '', commit = 'HEAD']: readonly string[],
  options: Options,
): Promise<number> {
  switch (action) {
    case 'show':
      return show(context, commit, options)
    case 'verify':
      return verify(context, commit, options)
    case 'key':
      return key(context)
    default:
      throw usage(`There is no "drydock receipt ${action}".`, 'drydock receipt show [commit], verify [commit], or key')
  }
}

async function key({ terminal, output }: Context): Promise<number> {
  const { id, pem } = await (await openReceipts(terminal.env)).publicKey()
  output.emit({ type: 'receipt_key', id, pem })
  output.note(`Key ${id}`)
  if (!output.json) output.say(pem.trimEnd())
  return 0
}

/**
 * Shows also what is not proven, and says so first; that no key for it is known here is no failure.
 */
async function show(context: Context, commit: string, options: Options): Promise<number> {
  const { output } = context
  const found = await check(context, commit, options)
  const { checked } = found
  const failure = checked.ok ? null : faultOf(checked, found)
  if (checked.receipt === null) throw failure ?? new Error('a receipt that is proven can be read')
  output.emit({
    ...{ type: 'receipt', commit: found.commit, tree: found.tree, verified: checked.ok, key: checked.key },
    ...(failure && { code: failure.code, message: failure.message, todo: failure.todo }),
    ...{ digest: found.digest && `sha256:${found.digest}`, receipt: checked.receipt },
  })
  if (!output.json) {
    const worth = failure === null ? `Signed with ${checked.key}` : `NOT PROVEN: ${oneLine(failure.message)}`
    output.say(output.screen.prose([worth, ...describeReceipt(checked.receipt)].join('\n')))
  }
  return failure === null || failure.code === 'receipt_unknown_key' ? 0 : 3
}

async function verify(context: Context, commit: string, options: Options): Promise<number> {
  const { output } = context
  const found = await check(context, commit, options)
  const { checked, tree } = found
  if (!checked.ok) throw faultOf(checked, found)
  const { verification, reviewer, story, findings } = checked.receipt
  output.emit({
    type: 'receipt',
    commit: found.commit,
    tree,
    verified: true,
    key: checked.key,
    digest: found.digest && `sha256:${found.digest}`,
    receipt: checked.receipt,
  })
  const reviewed = reviewer === null ? 'nobody reviewed it' : `${reviewer.verdict} by ${oneLine(reviewer.model)}`
  const open = findings.filter(({ state }) => state === 'open').length
  const left = open === 0 ? '' : `, ${open} ${open === 1 ? 'finding' : 'findings'} open`
  const remark = testsRemark(verification.tests)
  const but = remark === null ? '' : `, but ${remark}`
  const said = `${found.commit} is proven: story ${oneLine(story.id)}, ${verification.status} in ${oneLine(verification.run_id)}${but}, ${reviewed}${left}.`
  output.say(output.screen.prose(`${said}\nSigned with ${checked.key}`))
  return 0
}

type Found = Awaited<ReturnType<Awaited<ReturnType<typeof openReceipts>>['check']>>

async function check({ terminal }: Context, revision: string, options: Options): Promise<Found> {
  const reader = await openReceipts(terminal.env)
  const directory = resolve(options.repo ?? '.')
  return reader.check({
    directory,
    revision,
    only: options.key === undefined ? null : { files: [resolve(options.key)] },
  })
}

/** What is wrong, in words, and what can be done about it. */
function faultOf(
  { fault, key: id, found, receipt: said }: Extract<CheckedReceipt, { ok: false }>,
  { commit, tree, remote }: Found,
): DrydockError {
  const from = remote === null ? '<the origin of the commit>' : oneLine(remote)
  const fetch = `git fetch ${from} refs/notes/drydock:refs/notes/drydock`
  const told: Readonly<Record<ReceiptFault, readonly [message: string, todo: string]>> = {
    receipt_missing: [
      `There is no receipt for ${commit} in the notes of this repository.`,
      `Without a note nothing is known about how the commit was made. A clone gets notes only on request: ${fetch}`,
    ],
    receipt_malformed: [
      `The note of ${commit} is not a receipt: it is not a signed envelope in the format of Drydock.`,
      `Somebody else wrote or changed it. Get the original: ${fetch.replace('refs/notes', '+refs/notes')}`,
    ],
    receipt_unknown_key: [
      `The receipt of ${commit} is signed with a key that you do not trust here: ${id}`,
      'Ask whoever ran Drydock for the public key (drydock receipt key). Check that it has this id. Then name its file with --key FILE or in receipts.trusted_keys of your configuration.',
    ],
    receipt_changed: [
      `The receipt of ${commit} was changed after it was signed: the signature of ${id} does not match.`,
      `Do not rely on it. Get the original: ${fetch.replace('refs/notes', '+refs/notes')}`,
    ],
    receipt_unknown_version: [
      `This Drydock does not know the kind or version of the receipt of ${commit}.`,
      'Verify it with the Drydock that made it, or a newer one.',
    ],
    receipt_other_commit: [
      `The receipt is for commit ${found}, not ${commit}${said && said.tree !== tree ? ', whose files differ, too' : ''}. This commit was rewritten (amended, rebased), or never verified.`,
      `See the verified commit: git show ${found}`,
    ],
    receipt_other_tree: [
      `The receipt is for other files: it names tree ${found}, but ${commit} has ${tree} here.`,
      'This receipt was made for another commit, or changed. Look at it with drydock receipt show.',
    ],
  }
  const [message, todo] = told[fault]
  return new DrydockError(fault, message, { todo })
}
