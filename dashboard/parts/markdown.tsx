import { Suspense } from 'react'
import { lazyPart } from './lazy-part.ts'

const Rendered = lazyPart(() => import('./markdown-rendered.tsx').then(({ MarkdownRendered }) => MarkdownRendered))

/** Text of a model or a person: sanitized, without images, since none may be fetched. */
export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      <Suspense fallback={<p className="preformatted">{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  )
}
