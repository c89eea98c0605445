import { lazyPart } from './lazy-part.tsx'

interface Props {
  readonly text: string
  /**
   * The level of the first heading: 2 below the title of a page, 3 in a part with its own title.
   */
  readonly level?: 2 | 3
}

const Rendered = lazyPart(
  () => import('./markdown-rendered.tsx').then(({ MarkdownRendered }) => MarkdownRendered),
  ({ text }: Props) => <p className="preformatted">{text}</p>,
)

/** Text of a model or a person: sanitized, and without images, since none may be fetched. */
export function Markdown({ text, level = 3 }: Props) {
  return (
    <div className="markdown">
      <Rendered text={text} level={level} />
    </div>
  )
}
