// Finds elements as playwright's locators do: by steps, each of which narrows the elements of the one before.
const ROLES = {
    alert: "[role=alert]",
    button: "button, [role=button], input[type=submit], input[type=button]",
    checkbox: "input[type=checkbox]",
    group: "fieldset:not([role]), details, [role=group]",
    heading: "h1, h2, h3, h4, h5, h6, [role=heading]",
    img: "img, [role=img]",
    link: "a[href]",
    main: "main",
    navigation: "nav",
    progressbar: "progress, [role=progressbar]",
    radio: "input[type=radio]",
    radiogroup: "[role=radiogroup]",
    region: "section[aria-label], section[aria-labelledby], [role=region]",
    status: "[role=status], output",
    textbox: "input:not([type]), input[type=text], textarea",
};

const plain = (text) => (text ?? "").replace(/\s+/g, " ").trim();
const visible = (element) => {
    const { width, height } = element.getBoundingClientRect();
    return element.checkVisibility({ visibilityProperty: true }) && width > 0 && height > 0;
};

function named(element) {
    const labelled = element.getAttribute("aria-labelledby");
    if (labelled) {
        const parts = labelled.split(/\s+/).map((id) => document.getElementById(id)?.textContent ?? "");
        return parts.join(" ");
    }
    if (element.ariaLabel) {
        return element.ariaLabel;
    }
    if (element.labels?.length) {
        return [...element.labels].map((label) => label.textContent).join(" ");
    }
    const legend = element.tagName === "FIELDSET" && element.querySelector(":scope > legend");
    return (legend || element).textContent;
}

function matches(text, wanted) {
    if (wanted.pattern !== undefined) {
        return new RegExp(wanted.pattern, wanted.flags).test(text);
    }
    return wanted.exact ? text === wanted.text : text.toLowerCase().includes(wanted.text.toLowerCase());
}

const says = (element, wanted) => element !== document && !["SCRIPT", "STYLE", "TEMPLATE"].includes(element.tagName)
    && matches(plain(element.textContent), wanted);

const STEPS = {
    css: (roots, { css }) => {
        const shown = css.split(",").map((one) => one.trim());
        const inside = roots.flatMap((root) => shown.flatMap((one) => {
            const only = one.endsWith(":visible");
            const found = [...root.querySelectorAll(only ? one.slice(0, -":visible".length) : one)];
            return only ? found.filter(visible) : found;
        }));
        return ordered(inside);
    },
    visible: (found) => found.filter(visible),
    holding: (found, { wanted }) => found.filter((element) => says(element, wanted)),
    text: (roots, { wanted }) => ordered(roots.flatMap((root) => [root, ...root.querySelectorAll("*")].filter(
        (element) => says(element, wanted) && ![...element.children].some((child) => says(child, wanted)),
    ))),
    label: (roots, { wanted }) => ordered(roots.flatMap((root) => [...root.querySelectorAll("input, select, textarea")]
        .filter((element) => matches(plain(named(element)), wanted)))),
    role: (roots, { role, wanted }) => ordered(roots.flatMap((root) => [...root.querySelectorAll(ROLES[role])].filter(
        (element) => visible(element) && (!wanted || matches(plain(named(element)), wanted)),
    ))),
    nth: (found, { index }) => found.slice(index, index === -1 ? undefined : index + 1),
};

/** Each element once, in the order of the page. */
function ordered(elements) {
    return [...new Set(elements)].sort((a, b) => (
        a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1
    ));
}

const find = (steps) => steps.reduce((found, step) => STEPS[step.by](found, step), [document]);
