import type { ComponentProps } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'
import { outline } from './outline.ts'
import { Preformatted } from './preformatted.tsx'
import { ScrollBox } from './scroll-box.tsx'

const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== 'img'),
}

/**
 * Links lead out of the app or nowhere: a relative one would be a page of Drydock that does not
 * exist.
 */
function Link({ href = '', children }: ComponentProps<'a'>) {
  if (!/^(https?|mailto):/i.test(href)) return <span>{children}</span>
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}

/** The read-only box of a task list. */
function Tick({ checked }: ComponentProps<'input'>) {
  return <span role="img" className={checked ? 'tick done' : 'tick'} aria-label={checked ? 'done' : 'not done'} />
}

/** A table that is wider than its container scrolls on its own. */
function Table({ children }: ComponentProps<'table'>) {
  return (
    <ScrollBox label="Table">
      <table className="table">{children}</table>
    </ScrollBox>
  )
}

/** A block of code. */
function Block({ children }: ComponentProps<'pre'>) {
  return (
    <Preformatted label="Code" wrap={false}>
      {children}
    </Preformatted>
  )
}

const components: Components = { a: Link, input: Tick, table: Table, pre: Block }
export function MarkdownRendered({ text, level }: { readonly text: string; readonly level: 2 | 3 }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[
        [rehypeSanitize, schema],
        [outline, { base: level }],
      ]}
      components={components}
    >
      {text}
    </ReactMarkdown>
  )
}
