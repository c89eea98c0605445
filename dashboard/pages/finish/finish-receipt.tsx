import type { Finish } from '../../../src/api/finish.ts'
import { plural } from '../../figures-text.ts'
import { Problem } from '../../parts/notice.tsx'
import { exactTime } from '../../parts/time.tsx'
import { href } from '../../router.ts'
import { SignatureState } from '../receipts/signature-state.tsx'
import { useChecks } from '../receipts/use-receipts.ts'

/** The proof of each commit of the result: actually verified, and again on request. */
export function FinishReceipt({ finish }: { readonly finish: Finish }) {
  const checks = useChecks()
  const lines = checks.data?.receipts ?? finish.receipts
  const result = lines.find(({ commit }) => commit === finish.sha) ?? null
  if (lines.length === 0) {
    return (
      <div className="finish-fact">
        <h3>Receipt</h3>
        <p className="finish-figure">None</p>
        <p className="sub">
          {finish.repositories === null
            ? 'Only a commit that is handed over on a branch gets a receipt.'
            : 'Each repository has the receipts of its own commits: drydock receipt verify, in its folder.'}
        </p>
      </div>
    )
  }
  const good = lines.filter(({ state }) => state === 'good').length
  const weak = lines.find(({ state }) => state !== 'good') ?? null
  return (
    <div className="finish-fact">
      <h3>Receipt</h3>
      <p className="row">
        <SignatureState state={result?.state ?? 'not_noted'} />
      </p>
      <p className="sub" role="status">
        {lines.length > 1 && `${good} of ${plural(lines.length, 'commit')} proven. `}
        Checked {exactTime((result ?? lines[0])?.checked_at ?? '')}.
      </p>
      {weak?.fault && (
        <p className="sub">
          {weak.fault.message} {weak.fault.todo}
        </p>
      )}
      {checks.isError && <Problem error={checks.error} />}
      <div className="row">
        <button
          type="button"
          className="button"
          disabled={checks.isPending}
          onClick={() => checks.mutate(lines.map(({ commit }) => commit))}
        >
          {checks.isPending ? 'Verifying…' : 'Verify now'}
        </button>
        <a href={href('receipts')}>All receipts</a>
      </div>
    </div>
  )
}
