// Finds names of the API and titles of pages; NAMES is a list of [name, address].
const box = document.getElementById('search'),
    list = document.getElementById('found');
function find() {
    const words = box.value.toLowerCase().split(/[\s_]+/).filter(Boolean),
        hits = words.length ? NAMES.filter(n => words.every(w => n[0].toLowerCase().includes(w))) : [];
    hits.sort((a, b) => a[0].length - b[0].length);
    list.replaceChildren(
        ...hits.slice(0, 12).map(([name, address]) => {
            const item = document.createElement('li'),
                link = document.createElement('a');
            link.href = address;
            link.textContent = name;
            item.append(link);
            return item;
        }),
    );
}
box.addEventListener('input', find);
box.form.addEventListener('submit', event => {
    event.preventDefault();
    const first = list.querySelector('a');
    if (first) location.href = first.href;
});
