import { useState } from 'react'

/** A short name that a click copies: commits, branches, ids of verifications. */
export function Copy({ text, shown = text }: { readonly text: string; readonly shown?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  return (
    <button
      type="button"
      className="copy"
      title={copied ? 'Copied' : `Copy ${text}`}
      onClick={() => void copy()}
      onBlur={() => setCopied(false)}
    >
      <code>{shown}</code>
      {copied && <span role="status">copied</span>}
    </button>
  )
}
