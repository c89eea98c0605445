import type { Escalation } from '../../src/api/chat.ts'
import { useOperation } from '../data/operation.ts'
import { forOperators } from './for-operators.tsx'
import { InlineCode } from './inline-code.tsx'
import { Problem } from './notice.tsx'

/** The suggested answers of a question: one click answers it. */
export const OptionList = forOperators(function OptionList({ asked }: { readonly asked: Escalation }) {
  const { id, options, recommended } = asked
  const reply = useOperation('reply')
  const isSent = reply.isPending || reply.isSuccess
  return (
    <div className="stack tight">
      <ul className="options" aria-label="Suggested answers">
        {options.map((option, i) => (
          <li key={option}>
            <button
              type="button"
              className="button option"
              disabled={isSent}
              onClick={() => reply.mutate({ id, text: String(i + 1) })}
            >
              <span>
                <InlineCode text={option} />
              </span>
              {i + 1 === recommended && <span className="sub">recommended</span>}
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            className="button option"
            disabled={isSent}
            onClick={() => reply.mutate({ id, text: 'you decide' })}
          >
            You decide
          </button>
        </li>
      </ul>
      {reply.isError && <Problem error={reply.error} />}
      {reply.isSuccess && <p role="status">Sent.</p>}
    </div>
  )
})
