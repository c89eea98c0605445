import ReactMarkdown from 'react-markdown'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'

const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== 'img' && name !== 'input'),
}

export function MarkdownRendered({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown
      rehypePlugins={[[rehypeSanitize, schema]]}
      components={{
        a: ({ href, children }) => (
          <a href={href} target="_blank" rel="noreferrer noopener">
            {children}
          </a>
        ),
        h1: 'h3',
        h2: 'h3',
        h3: 'h4',
      }}
    >
      {text}
    </ReactMarkdown>
  )
}
