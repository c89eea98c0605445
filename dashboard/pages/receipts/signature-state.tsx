import type { ReceiptLine } from '../../../src/api/receipts.ts'

export const signatures: Readonly<Record<ReceiptLine['state'], { readonly label: string; readonly tone: string }>> = {
  good: { label: 'Proven', tone: 'done' },
  unknown_key: { label: 'Unknown key', tone: 'reviewing' },
  broken: { label: 'Broken', tone: 'attention' },
  not_noted: { label: 'Not noted', tone: 'waiting' },
}

/** The state of a signature, in words and in colour. */
export function SignatureState({ state }: Pick<ReceiptLine, 'state'>) {
  const { label, tone } = signatures[state]
  return (
    <span className={`pill ${tone}`} data-signature={state}>
      <span className="dot" aria-hidden="true" />
      {label}
    </span>
  )
}
