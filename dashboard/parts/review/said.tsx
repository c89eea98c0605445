import { useState } from 'react'
import { partsOf } from './suggestion.ts'

/** The lines that a comment suggests as a replacement. */
function Suggested({ text }: { readonly text: string }) {
  return (
    <figure className="suggested">
      <figcaption>Suggested edit: the editor takes it, or says why not</figcaption>
      <pre className="before">
        <span className="insert">{text}</span>
      </pre>
    </figure>
  )
}

const mostShown = 1_500

/** The words of a person or an agent, as they are. */
export function Said({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const isCut = text.length > mostShown && !isWhole
  return (
    <div className="said">
      {partsOf(isCut ? `${text.slice(0, mostShown)}…` : text).map((part, i) =>
        part.isSuggested ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
          <Suggested key={i} text={part.text} />
        ) : (
          part.text
        ),
      )}
      {isCut && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          Show all of it
        </button>
      )}
    </div>
  )
}
