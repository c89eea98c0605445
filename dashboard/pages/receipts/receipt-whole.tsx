import { Loaded } from '../../parts/loaded.tsx'
import { useReceipt } from './use-receipts.ts'

/** A receipt as it was signed. Its texts are not trusted, and are shown as plain text. */
export function ReceiptWhole({ commit }: { readonly commit: string }) {
  return (
    <Loaded query={useReceipt(commit)} what="the receipt">
      {({ receipt, envelope, digest }) => (
        <div className="stack tight">
          {digest !== null && (
            <p className="sub">
              Digest of the note: <code className="receipt-digest">sha256:{digest}</code>
            </p>
          )}
          {/** biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
          <section className="receipt-whole" tabIndex={0} aria-label={`The receipt of ${commit.slice(0, 10)} in whole`}>
            <pre>{receipt === null ? (envelope ?? '') : JSON.stringify(receipt, null, 2)}</pre>
          </section>
        </div>
      )}
    </Loaded>
  )
}
