import type { ComponentClass, ElementType, ExoticComponent, Key, ReactElement, JSX as ReactJsx, ReactNode } from 'react'
import * as react from 'react/jsx-runtime'
import { isShown, markedText, partText, shownParts } from '../../src/domain/hidden-characters.ts'

/**
 * Each JSX element of the page is made here (vite.config.ts), so its text reaches the page with
 * hidden characters as marks. Libraries that call `createElement`, such as recharts, pass by:
 * give them text through `markedText`.
 */
export const { Fragment } = react

type Props = Readonly<Record<string, unknown>>

export function jsx(type: ElementType, props: Props, key?: Key): ReactNode {
  return react.jsx(type, shownProps(type, props), key)
}

export function jsxs(type: ElementType, props: Props, key?: Key): ReactNode {
  return react.jsxs(type, shownProps(type, props), key)
}

/** React calls this one in a development build. */
export const jsxDEV = jsx

/** Attributes that people see or hear. What they edit (`value`) stays as it is. */
const spoken = [
  ...['title', 'aria-label', 'aria-description', 'aria-valuetext', 'aria-roledescription', 'aria-placeholder'],
  ...['alt', 'label', 'placeholder'],
]

/** Elements that can hold nothing but text. */
const textOnly = new Set(['option', 'title', 'textarea', 'text', 'tspan', 'desc'])

/** A component gets what it was given: what it makes of it comes here again. */
function shownProps(type: ElementType, props: Props): Props {
  if (typeof type !== 'string' && typeof type !== 'symbol') return props
  const names = typeof type === 'string' ? spoken.filter((name) => isHidden(props[name])) : []
  const children = shownChild(props.children as ReactNode, typeof type === 'string' && textOnly.has(type))
  if (names.length === 0 && children === props.children) return props
  const attributes = Object.fromEntries(names.map((name) => [name, markedText(String(props[name]))]))
  return { ...props, ...attributes, ...(children !== undefined && { children }) }
}

function isHidden(value: unknown): boolean {
  return typeof value === 'string' && !isShown(value)
}

/** The same object where nothing is hidden in it. */
function shownChild(child: ReactNode, isText: boolean, key?: Key): ReactNode {
  if (typeof child === 'string') {
    if (isShown(child)) return child
    return isText ? markedText(child) : react.jsx(Marked, { text: child }, key)
  }
  if (!Array.isArray(child)) return child
  // Text has no key, and needs none; an element in a list does.
  const shown = child.map((each: ReactNode, i) => shownChild(each, isText, `text ${i}`))
  return shown.some((each, i) => each !== child[i]) ? shown : child
}

function Marked({ text }: { readonly text: string }): ReactNode {
  return shownParts(text).map((part, i) => {
    if (typeof part === 'string') return part
    const name = `${part.code} ${part.name}`
    const props = { className: 'hidden-character', role: 'img', 'aria-label': name, title: name }
    return react.jsx('span', { ...props, children: partText(part) }, i)
  })
}

type Elements = ReactElement | null | false | undefined | readonly Elements[]

/** As React's, but a component returns elements: bare text would not come here. */
export declare namespace JSX {
  // biome-ignore lint/suspicious/noExplicitAny: the properties are those of the component
  type Any = any
  type ElementType =
    | keyof ReactJsx.IntrinsicElements
    | ((props: Any) => Elements)
    | ComponentClass<Any>
    | ExoticComponent<Any>
  type Element = ReactJsx.Element
  type ElementClass = ReactJsx.ElementClass
  type ElementAttributesProperty = ReactJsx.ElementAttributesProperty
  type ElementChildrenAttribute = ReactJsx.ElementChildrenAttribute
  type LibraryManagedAttributes<C, P> = ReactJsx.LibraryManagedAttributes<C, P>
  type IntrinsicAttributes = ReactJsx.IntrinsicAttributes
  type IntrinsicClassAttributes<T> = ReactJsx.IntrinsicClassAttributes<T>
  type IntrinsicElements = ReactJsx.IntrinsicElements
}
