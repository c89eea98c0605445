import { resolve } from 'node:path'
import { oneLine } from '../../app/text/one-line.ts'
import { faultOf } from '../../app/text/receipt-fault.ts'
import { usage } from '../../app/usage.ts'
import { testsRemark } from '../../domain/verification/tests-seen.ts'
import type { CommonOptions, Context } from '../context.ts'
import { thisProcess } from '../door/host.ts'
import { openReceipts } from '../open.ts'
import { describeReceipt } from '../screen/describe-receipt.ts'

type Options = CommonOptions & { readonly key?: string }

/**
 * Reads or verifies the receipt of a commit from its note alone, or prints the key that this
 * installation signs with.
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

async function key(context: Context): Promise<number> {
  const { output } = context
  const { id, pem } = await (await openReceipts(context)).publicKey()
  output.emit({ type: 'receipt_key', id, pem })
  output.note(`Key ${id}`)
  if (!output.json) output.say(pem.trimEnd())
  return 0
}

/** Shows a receipt even if it is not proven, and says so first. An unknown key is not a failure. */
async function show(context: Context, commit: string, options: Options): Promise<number> {
  const { output } = context
  const found = await check(context, commit, options)
  const { checked } = found
  const failure = checked.ok ? null : faultOf(checked, found)
  if (checked.receipt === null) throw failure ?? new Error('a receipt that is proven can be read')
  output.emit({
    type: 'receipt',
    commit: found.commit,
    tree: found.tree,
    verified: checked.ok,
    key: checked.key,
    ...(failure && { code: failure.code, message: failure.message, todo: failure.todo }),
    digest: found.digest && `sha256:${found.digest}`,
    receipt: checked.receipt,
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

type ReceiptCheck = Awaited<ReturnType<Awaited<ReturnType<typeof openReceipts>>['check']>>

async function check(context: Context, revision: string, options: Options): Promise<ReceiptCheck> {
  const { host = thisProcess } = context.terminal
  const reader = await openReceipts(context)
  const directory = resolve(host.cwd(), options.repo ?? '.')
  return reader.check({
    directory,
    revision,
    only: options.key === undefined ? null : { files: [resolve(options.key)] },
  })
}
